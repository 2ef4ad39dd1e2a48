import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { openBrowser } from '../open-browser.ts'
import { field, openTypedPlayground, write } from '../playground.ts'

let server: TestServer
let browser: Browser

beforeAll(async () => {
  server = await startServer({ ROSTRUM_TASK_LOG_ENTRIES: '100000' })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.stop()
})

const answerMs = 200
const keys = 15

// Returns how long the browser took from each key to the next frame, in milliseconds.
async function typeAndMeasure(page: Page): Promise<number[]> {
  await page.evaluate(() => {
    const durations: number[] = []
    Object.assign(window, { durations })
    const observer = new PerformanceObserver(list => {
      for (const { name, duration } of list.getEntries()) if (name.startsWith('key')) durations.push(duration)
    })
    observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
  })
  for (let key = 0; key < keys; key++) {
    await page.keyboard.press('a')
    await page.waitForTimeout(30)
  }
  // The observer hears of a key after the frame that followed it.
  await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 300)))
  return page.evaluate(() => (window as unknown as { readonly durations: number[] }).durations)
}

const runs = {
  'a huge result is shown': "exit(Array.from({ length: 60_000 }, (_, i) => ({ i, t: 'x' + i })))",
  '10,000 log entries arrive': "for (let i = 0; i < 10_000; i++) log('entry ' + i)\nexit(1)",
}

test.each(Object.entries(runs))('a key is answered within 200 ms while %s', async (name, script) => {
  const { page } = await openTypedPlayground(browser, server)
  await page.getByText('Types ready').waitFor()
  if (name.includes('log')) await page.getByRole('tab', { name: 'Logs' }).click()
  await write(page, 'Script', script)
  await page.keyboard.press('Control+Enter')
  const durations = await typeAndMeasure(page)
  await page.getByRole('status').filter({ hasText: 'exit' }).waitFor()
  durations.push(...(await typeAndMeasure(page)))
  await page.getByRole('tab', { name: 'Raw' }).click()
  await field(page, 'Script').click()
  durations.push(...(await typeAndMeasure(page)))
  expect(durations.length).toBeGreaterThan(0)
  expect(Math.max(...durations)).toBeLessThan(answerMs)
  await page.context().close()
})
