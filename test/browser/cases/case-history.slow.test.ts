import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBarriers } from '../open-browser.ts'
import { CasesClient, dataOf } from './cases-client.ts'

let client: CasesClient

beforeAll(async () => {
  client = await CasesClient.start()
})
afterAll(() => client.stop())

const large = (letter: string) => ({ text: letter.repeat(1_000_000) })

test('a case with large changes opens, a save says that it is done, and its history comes in parts', async () => {
  const id = await client.createCase('large', large('a'))
  for (const letter of ['b', 'c', 'd']) await client.changeCase(id, large(letter))
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  await expect.poll(async () => (await dataOf(page).inputValue()).slice(0, 20)).toContain('"ddd')
  const rows = page.getByRole('table', { name: 'History' }).getByRole('row')
  await expect.poll(() => rows.count()).toBe(2)
  const more = page.getByRole('button', { name: 'Load more' })
  await more.click()
  await expect.poll(() => rows.count()).toBe(3)
  expect(await rows.nth(2).innerText()).toMatch(/\/text "b+… → "c/)
  // The creation has one value only, so that it and the change before fit.
  await more.click()
  await expect.poll(() => rows.count()).toBe(5)
  const firstNew = rows.nth(3).getByRole('cell').first()
  await expect.poll(() => firstNew.evaluate(cell => cell === document.activeElement)).toBe(true)
  await dataOf(page).fill(JSON.stringify(large('e')))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved as version 5.').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await expect.poll(() => rows.nth(1).innerText()).toContain('5 saved')
  await client.close(tab)
})

test('an event whose changes alone are too large for an answer is listed without them', async () => {
  const id = await client.createCase('limited', { total: 1 })
  const tab = await client.open('/cases')
  const { page } = tab
  const refusal = { message: 'An answer can have …', extensions: { bound: 'answerBytes' } }
  await page.route('**/graphql', route =>
    route.request().postDataJSON().variables.withChanges === true
      ? route.fulfill({ json: { data: null, errors: [refusal] } })
      : route.fallback(),
  )
  await page.goto(`/cases/${id}`)
  await page.getByText('The changes are too large to show here.').waitFor()
  expect(await dataOf(page).inputValue()).toContain('"total": 1')
  expect(await findBarriers(page)).toEqual([])
  await client.close(tab)
})

test('a long change leaves the columns beside it their width', async () => {
  const id = await client.createCase('wide', { text: 'some words '.repeat(60) })
  const tab = await client.open(`/cases/${id}`)
  const row = tab.page.getByRole('table', { name: 'History' }).getByRole('row').nth(1)
  await row.waitFor()
  const heights = await row.getByRole('cell').evaluateAll(cells =>
    cells.map(cell => {
      const text = document.createRange()
      text.selectNodeContents(cell)
      return text.getBoundingClientRect().height
    }),
  )
  const lineHeight = 30
  expect(heights[0]).toBeLessThan(lineHeight)
  expect(heights[3]).toBeGreaterThan(lineHeight)
  await client.close(tab)
})

test('a version lists 20 of the fields that it changed, and more on demand', async () => {
  const withAll = (value: number) =>
    Object.fromEntries(Array.from({ length: 3_000 }, (_field, index) => [`f${index}`, value]))
  const id = await client.createCase('wide', withAll(0))
  await client.changeCase(id, withAll(1))
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  const newest = page.getByRole('table', { name: 'History' }).getByRole('row').nth(1)
  await newest.getByText('20 of 3000 fields').waitFor()
  expect(await newest.getByRole('listitem').count()).toBe(20)
  expect(await findBarriers(page)).toEqual([])
  await newest.getByRole('button', { name: 'Show 500 more' }).click()
  await newest.getByText('520 of 3000 fields').waitFor()
  expect(await newest.getByRole('listitem').count()).toBe(520)
  await client.close(tab)
})

test('a long value leaves the number of a version in one line', async () => {
  const id = await client.createCase('wide', { text: 'long '.repeat(200) })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  const table = page.getByRole('table', { name: 'History' })
  const heads = [table.getByRole('columnheader', { name: 'Version' }), table.getByRole('cell').first()]
  for (const head of heads) {
    const lines = await head.evaluate(cell => {
      const text = document.createRange()
      text.selectNodeContents(cell)
      return new Set([...text.getClientRects()].map(({ bottom }) => Math.round(bottom / 10))).size
    })
    expect(lines).toBe(1)
  }
  await client.close(tab)
})
