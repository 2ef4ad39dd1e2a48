import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startBrowsing } from '../start-browsing.ts'

const { server, open } = await startBrowsing()

/** Doubles the size of text, as a person does in the settings of the browser. */
async function doubleText(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
}

const sizeOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate(node => getComputedStyle(node).fontSize)

test('text is as large as the settings of the browser say, and nothing scrolls sideways', async () => {
  const { body } = await server.graphql<{
    function: { id: string }
    saved: { case: { id: string } }
  }>(`mutation {
    function: saveFunction(input: { name: "large", sourceCode: "exit(1)" }) { id }
    saved: saveCase(input: { caseTypeCode: "large", data: { total: 1 } }) { case { id } }
    addTeamMembership(input: { userId: 7, teamId: 34 }) { id }
  }`)
  await server.execute({ name: 'large-run', sourceCode: '1' })
  const { page } = await open('/playground', { hasTypes: false, viewport: { width: 390, height: 844 } })
  expect([await sizeOf(page, 'body'), await sizeOf(page, '.cm-editor')]).toEqual(['15px', '14px'])
  await doubleText(page)
  expect([await sizeOf(page, 'body'), await sizeOf(page, '.cm-editor')]).toEqual(['30px', '28px'])
  const { function: saved, saved: change } = body.data ?? {}
  const shown = {
    [`/functions/${saved?.id}`]: 'Versions',
    [`/cases/${change?.case.id}`]: 'created',
    '/runs': 'large-run',
    '/members?team=34': 'User 7',
    '/docs/durable-work': 'Previous',
  }
  for (const [path, text] of Object.entries(shown)) {
    await page.goto(path)
    await page.getByText(text, { exact: true }).first().waitFor()
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, path).toBe(390)
  }
  await page.context().close()
})
