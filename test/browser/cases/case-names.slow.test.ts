import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBarriers } from '../open-browser.ts'
import { CasesClient } from './cases-client.ts'

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
