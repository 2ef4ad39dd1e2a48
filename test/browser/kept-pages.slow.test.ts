import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openTab, signIn } from './open-browser.ts'
import { startBrowsing } from './start-browsing.ts'

const { server, browser } = await startBrowsing()

// A browser that is driven keeps no page, so the test says to the page what another browser would.
const comeBack = (page: Page) =>
  page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))

test.each([
  'functions',
  'runs',
  'cases',
  'members',
  'docs',
])('/%s that the browser kept shows nothing of somebody who has signed out', async path => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken)
  await page.goto(`/${path}`)
  const navigation = page.getByRole('navigation', { name: 'Rostrum' })
  await navigation.waitFor()
  await comeBack(page)
  await navigation.waitFor()
  await page.evaluate(() => sessionStorage.removeItem('rostrum.session'))
  await comeBack(page)
  await page.waitForURL(path === 'docs' ? '**/docs' : '**/login')
  await navigation.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
  await page.context().close()
})

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
