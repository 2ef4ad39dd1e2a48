import { expect, test } from 'vitest'
import { shareServer } from '../../server/gateways/share-server.ts'
import { enter, findBarriers, openBrowser, openTab } from '../open-browser.ts'

// Swagger UI has a landmark of its own, puts links into its buttons and skips a level of headings.
const ofSwagger = /: (?:landmark-[\w-]+|nested-interactive|heading-order): /

test('the viewer of the OpenAPI document shows each place that the keyboard reaches, in legible colours', async () => {
  const server = await shareServer()
  const browser = await openBrowser()
  const { page, faults } = await openTab(browser, server.baseUrl, { reducedMotion: 'reduce' })
  await page.goto('/docs/api')
  await page.getByRole('button', { name: /GET.*Lists the memberships/s }).waitFor()
  expect(await page.getByRole('main').count()).toBe(1)
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
  expect((await findBarriers(page)).filter(barrier => !ofSwagger.test(barrier))).toEqual([])

  const names: string[] = []
  const focused = page.locator(':focus')
  for (let step = 0; step < 30; step++) {
    await page.keyboard.press('Tab')
    const name = (await focused.getAttribute('aria-label')) ?? (await focused.innerText())
    names.push(name)
    expect([name, (await focused.boundingBox())?.width]).toEqual([
      name,
      expect.toSatisfy((width: number) => width > 8),
    ])
  }
  expect(names).toContain('Authorize')
  expect(names).toContain('Copy path to clipboard')

  expect(await page.getByRole('navigation').count()).toBe(0)
  await enter(page, server.adminToken, '/docs/api')
  const links = await page.getByRole('navigation').getByRole('link').allInnerTexts()
  expect(links).toEqual(['Playground', 'Functions', 'Runs', 'Cases', 'Members'])
  await page.getByRole('button', { name: /GET.*Lists the memberships/s }).waitFor()
  expect((await findBarriers(page)).filter(barrier => !ofSwagger.test(barrier))).toEqual([])

  // A browser that is driven keeps no page, so the test says to the page what another browser would.
  await page.evaluate(() => {
    sessionStorage.removeItem('rostrum.session')
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  })
  await page.getByRole('navigation').waitFor({ state: 'hidden' })

  await enter(page, server.adminToken, '/docs/api')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  expect(faults).toEqual([])
  await browser.close()
})
