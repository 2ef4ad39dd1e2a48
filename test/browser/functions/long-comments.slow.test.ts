import { expect, test } from 'vitest'
import { openTab, signIn } from '../open-browser.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

test('a long comment of a version wraps, and leaves the other columns their width', async () => {
  const save = async (sourceCode: string, comment: string) => {
    const { body } = await server.graphql<{ saveFunction: { id: string } }>(
      'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }',
      { input: { name: 'commented', sourceCode, comment } },
    )
    return body.data?.saveFunction.id
  }
  await save('exit(1)', 'a long comment of many words '.repeat(20))
  const id = await save('exit(2)', 'short')
  const { page, faults } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken, `/functions/${id}`)
  const rows = page.getByRole('table', { name: 'Versions' }).getByRole('row')
  await rows.nth(2).waitFor()
  for (const width of [1_280, 720]) {
    await page.setViewportSize({ width, height: 844 })
    const heights = await rows.evaluateAll(all =>
      all.map(row =>
        [...row.children].map(cell => {
          const text = document.createRange()
          text.selectNodeContents(cell)
          return text.getBoundingClientRect().height
        }),
      ),
    )
    const lineHeight = 40
    expect(heights[2]?.[4]).toBeGreaterThan(lineHeight)
    const others = heights.flatMap(row => row.filter((_height, column) => column !== 4 && column !== 2))
    expect(
      others.filter(height => height > lineHeight),
      String(width),
    ).toEqual([])
  }
  expect(faults).toEqual([])
  await page.context().close()
})
