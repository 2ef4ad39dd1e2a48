import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openTab, signIn } from './open-browser.ts'
import { startBrowsing } from './start-browsing.ts'

const { server, browser } = await startBrowsing()

// A browser that is driven keeps no page, so the test says to the page what another browser would.
const comeBack = (page: Page) =>
  page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))

test.each(['functions', 'runs', 'cases', 'members', 'docs'])(
  '/%s that the browser kept shows nothing of somebody who has signed out',
  async path => {
    const { page, faults } = await openTab(browser, server.baseUrl)
    await signIn(page, server.adminToken)
    await page.goto(`/${path}`)
    const navigation = page.getByRole('navigation', { name: 'Rostrum' })
    await navigation.waitFor()
    await page.evaluate(() => sessionStorage.removeItem('rostrum.session'))
    await comeBack(page)
    await page.waitForURL(path === 'docs' ? '**/docs' : '**/login')
    await navigation.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await page.context().close()
  },
)

test('Back from a new case leads to the list, not to a dialog that does nothing', async () => {
  const { page } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken, '/cases')
  await page.getByRole('button', { name: 'New case' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Case type').fill('kept')
  // This answer leaves the page where it is.
  await page.route(/\/cases\/\d+$/, route => route.fulfill({ status: 204 }))
  const answer = page.waitForResponse(/\/cases\/\d+$/)
  await page.keyboard.press('Enter')
  await answer
  await comeBack(page)
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: /^Case / }).waitFor()
  await page.context().close()
})

test('a list that the browser kept shows what was saved meanwhile', async () => {
  const { page } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken, '/functions')
  await page.getByText('No functions yet').waitFor()
  await server.graphql('mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    input: { name: 'saved-meanwhile', sourceCode: 'exit(1)' },
  })
  await comeBack(page)
  await page.getByRole('link', { name: 'saved-meanwhile' }).waitFor()
  await page.context().close()
})

test('a run that the browser kept shows its new replay, and says no more that it opens', async () => {
  await server.execute('exit(1)')
  const { page } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken, '/runs')
  await page.locator('a[data-row]').first().click()
  const button = page.getByRole('button', { name: 'Replay', exact: true })
  await button.waitFor()
  // This answer leaves the page where it is.
  const isNext = (url: URL) => /^\/runs\/.+/.test(url.pathname)
  await page.route(isNext, route => route.fulfill({ status: 204 }))
  await button.click()
  const notice = page.getByRole('status').getByText('Opening the new run')
  await notice.waitFor()
  await page.unroute(isNext)
  await comeBack(page)
  await notice.waitFor({ state: 'detached' })
  await page.getByText('Replays').waitFor()
  await page.context().close()
})

test('a paused table of runs that the browser kept stands still', async () => {
  const { page } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken, '/runs')
  await page.getByRole('button', { name: 'Pause' }).click()
  await comeBack(page)
  await page.waitForTimeout(500)
  await page.getByRole('button', { name: 'Resume' }).waitFor({ timeout: 1_000 })
  await page.context().close()
})
