import { expect, test } from 'vitest'
import { enter, openTab } from '../open-browser.ts'
import { close, startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

test.each([-1_440, -10, 10, 1_440])(
  'runs are drawn in their chart by a clock that is %i minutes wrong',
  async minutes => {
    await server.execute({ name: 'drawn', sourceCode: 'exit(1)' })
    const tab = await openTab(browser, server.baseUrl)
    const { page } = tab
    await page.clock.setSystemTime(Date.now() + minutes * 60_000)
    await enter(page, server.adminToken, '/runs')
    const chart = page.getByRole('figure', { name: 'Runs a minute' })
    const bar = chart.getByRole('img').first()
    await bar.waitFor({ state: 'attached' })
    const box = await bar.boundingBox()
    const drawn = await chart.boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(drawn?.x ?? 0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((drawn?.x ?? 0) + (drawn?.width ?? 0))
    await close(tab)
  },
)
