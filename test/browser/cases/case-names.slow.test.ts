import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBarriers } from '../open-browser.ts'
import { CasesClient, dataOf } from './cases-client.ts'

let client: CasesClient

beforeAll(async () => {
  client = await CasesClient.start()
})
afterAll(() => client.stop())

test('names of 64 letters wrap: no page scrolls sideways', async () => {
  const [type, task] = ['t'.repeat(64), 'T'.repeat(64)]
  await client.saveTask(task, type, 'exit(payload)')
  const id = await client.createCase(type, {})
  const { body } = await client.server.graphql<{ functions: { nodes: { id: string }[] } }>(
    '{ functions(first: 1) { nodes { id } } }',
  )
  const functionId = body.data?.functions.nodes[0]?.id
  const tab = await client.open('/cases')
  for (const path of [`/cases/${id}`, `/cases?type=${type}`, '/functions', `/functions/${functionId}`]) {
    await tab.page.goto(path)
    await tab.page.getByText(type).first().waitFor({ state: 'attached' })
    await tab.page.waitForLoadState('networkidle')
    expect(await findBarriers(tab.page), path).toEqual([])
  }
  await tab.page.goto(`/cases/${id}`)
  await tab.page.getByRole('button', { name: `Run ${task}` }).click()
  expect(await findBarriers(tab.page)).toEqual([])
  await client.close(tab)
})

// Words that are written from right to left, and a character that turns what follows it.
const values = [
  { before: 'שלום', after: 'עולם' },
  { before: 'مرحبا', after: 'عالم' },
  { before: '\u202Eabc', after: 'def' },
]

async function findOrder(page: Page, item: Locator): Promise<string[]> {
  const parts = [item.locator('code'), item.locator('del'), item.locator('ins')]
  const placed = await Promise.all(
    parts.map(async part => ({
      name: await part.evaluate(({ tagName }) => tagName),
      x: (await part.boundingBox())?.x ?? Number.NaN,
    })),
  )
  expect(await page.evaluate('innerWidth')).toBeGreaterThan(1_000)
  return placed.toSorted((one, other) => one.x - other.x).map(({ name }) => name)
}

test('the history names a field by its JSON Pointer', async () => {
  const tab = await client.open('/cases')
  const { page } = tab
  const id = await client.createCase('pointers', { 'a/b': 1, 'c~d': 1 })
  await client.changeCase(id, { 'a/b': 2, 'c~d': 2 })
  await page.goto(`/cases/${id}`)
  const history = page.getByRole('table', { name: 'History' })
  await history.getByText('/a~1b 1 → 2').waitFor()
  await history.getByText('/c~0d 1 → 2').waitFor()
  await client.close(tab)
})

test('old and new values stand in this order in every script', async () => {
  const tab = await client.open('/cases')
  const { page } = tab
  for (const { before, after } of values) {
    const id = await client.createCase('scripts', { שם: before })
    await client.changeCase(id, { שם: after })
    await page.goto(`/cases/${id}`)
    const history = page.getByRole('table', { name: 'History' }).getByRole('listitem')
    expect(await findOrder(page, history.first()), before).toEqual(['CODE', 'DEL', 'INS'])

    const { body } = await client.server.execute({
      sourceCode: `exit({ שם: ${JSON.stringify(after)} })`,
      inputDocument: JSON.stringify({ שם: before }),
    })
    await page.goto(`/runs/${body.task_execution.id}`)
    const difference = page.getByRole('list', { name: 'Changes' }).getByRole('listitem')
    expect(await findOrder(page, difference), before).toEqual(['CODE', 'DEL', 'INS'])
  }
  await client.close(tab)
})

test('the data of a case are printed whole, as they are edited, and not in a field', async () => {
  const data = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field${index}`, index]))
  const id = await client.createCase('printed', data)
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  await dataOf(page).fill(`${JSON.stringify(data, null, 2)}\n`)
  const text = await dataOf(page).inputValue()
  await page.emulateMedia({ media: 'print' })
  expect(await dataOf(page).count()).toBe(0)
  expect((await page.locator('main').innerText()).includes(text.trim())).toBe(true)
  await client.close(tab)
})
