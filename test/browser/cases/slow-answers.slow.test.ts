import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdRequests } from '../hold-requests.ts'
import { CasesClient, dataOf } from './cases-client.ts'

let client: CasesClient

beforeAll(async () => {
  client = await CasesClient.start()
})
afterAll(() => client.stop())

test('a save that is asked for while the tasks load is done', async () => {
  const id = await client.createCase('hurried', { total: 1 })
  const tab = await client.open('/cases')
  const { page } = tab
  const tasks = await holdRequests(page, '**/graphql', 'ListCaseTasks(')
  await page.goto(`/cases/${id}`)
  await dataOf(page).fill('{"total": 2}')
  await page.keyboard.press('Control+S')
  await page.getByText('Saved as version 2.').waitFor()
  expect((await client.readCase(id)).data).toEqual({ total: 2 })
  tasks.release()
  await client.close(tab)
})
