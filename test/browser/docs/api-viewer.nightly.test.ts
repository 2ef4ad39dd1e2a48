import { expect, test } from 'vitest'
import { findBarriers, openTab } from '../open-browser.ts'
import { close, startBrowsing } from '../start-browsing.ts'

// Swagger UI has a landmark of its own, puts links into its buttons and skips a level of headings.
const ofSwagger = /: (?:landmark-[\w-]+|nested-interactive|heading-order): /

const { server, browser, open } = await startBrowsing()

test('the viewer of the OpenAPI document shows each place that the keyboard reaches, in legible colours', async () => {
  const tab = await openTab(browser, server.baseUrl, { reducedMotion: 'reduce' })
  const { page } = tab
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
  await close(tab)
})

test('who is signed in can go on to each page, and signs out here too', async () => {
  const tab = await open('/docs/api', { reducedMotion: 'reduce' })
  const { page } = tab
  const links = await page.getByRole('navigation').getByRole('link').allInnerTexts()
  expect(links).toEqual(['Playground', 'Functions', 'Runs', 'Cases', 'Members'])
  await page.getByRole('button', { name: /GET.*Lists the memberships/s }).waitFor()
  expect((await findBarriers(page)).filter(barrier => !ofSwagger.test(barrier))).toEqual([])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  await close(tab)
})

test('Back after signing out shows no answers that were shown before', async () => {
  const tab = await open('/docs/api')
  const { page } = tab
  await page.getByRole('navigation').waitFor()
  // A browser that is driven keeps no page, so the test says to the page what another browser would.
  await page.evaluate(() => {
    sessionStorage.removeItem('rostrum.session')
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  })
  await page.getByRole('navigation').waitFor({ state: 'hidden' })
  await close(tab)
})
