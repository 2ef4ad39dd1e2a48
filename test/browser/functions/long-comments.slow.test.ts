import { expect, test } from 'vitest'
import { enter, openTab } from '../open-browser.ts'
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
  await enter(page, server.adminToken, `/functions/${id}`)
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

test('what a version changed is printed whole, and it is said if that cannot be seen', async () => {
  const source = Array.from({ length: 60 }, (_, line) => `log(${line})`).join('\n')
  const save = (sourceCode: string) =>
    server.graphql<{ saveFunction: { id: string } }>(
      'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }',
      { input: { name: 'printed', sourceCode } },
    )
  const { body } = await save(source)
  const { page, faults } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken, `/functions/${body.data?.saveFunction.id}`)
  const difference = page.getByRole('region', { name: 'Difference' }).locator('pre')
  const hidden = () => difference.evaluate(lines => lines.scrollHeight - lines.clientHeight)
  await difference.waitFor()
  expect(await hidden()).toBeGreaterThan(0)
  await page.emulateMedia({ media: 'print' })
  expect(await hidden()).toBe(0)
  expect(await page.getByTitle('Show what this version changed').isVisible()).toBe(true)
  await save(`${source}\n`)
  await page.reload()
  await page.getByText('Only line breaks changed').waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})
