import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { enter, openTab } from '../open-browser.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser, open } = await startBrowsing()

/** Puts other texts in the place of those of the page, as the translator of a browser does. */
const translate = (page: Page) =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) texts.push(walker.currentNode as Text)
    for (const text of texts) {
      if (text.parentElement?.closest('[translate="no"]') !== null) continue
      const translated = document.createElement('font')
      translated.textContent = text.data
      text.replaceWith(translated)
    }
  })

test('a case that a browser translates shows its new version once it is saved', async () => {
  const { body } = await server.graphql<{ saveCase: { case: { id: string } } }>(
    'mutation { saveCase(input: { caseTypeCode: "translated", data: { total: 1 } }) { case { id } } }',
  )
  const { page } = await open(`/cases/${body.data?.saveCase.case.id}`)
  const history = page.getByRole('table', { name: 'History' })
  await history.getByText('created').waitFor()
  await translate(page)
  await page.getByLabel('Data').fill('{ "total": 2 }')
  await page.keyboard.press('Control+S')
  await page.getByText('Type translated, version 2').waitFor()
  await history.getByText('saved').waitFor()
  expect(await history.getByText('created').count()).toBe(1)
  await page.context().close()
})

test.each(['/login', '/cases'])('%s says so if one of its files is blocked', async path => {
  const { page } = await openTab(browser, server.baseUrl, { hasTypes: false })
  const blocked = '**/pages/gateway/gateway-error.ts'
  await enter(page, server.adminToken)
  await page.route(blocked, route => route.abort())
  await page.goto(path)
  await page.getByRole('alert').getByText('This page did not load.').waitFor()
  await page.unroute(blocked)
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.getByText('This page did not load.').isVisible()).toBe(false)
  await page.context().close()
})
