import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from '../open-browser.ts'
import { CasesClient, dataOf } from './cases-client.ts'

let client: CasesClient

beforeAll(async () => {
  client = await CasesClient.start()
})
afterAll(() => client.stop())

async function openEdited(type: string, edited: string) {
  const id = await client.createCase(type, { total: 1, state: 'open' })
  const tab = await client.open(`/cases/${id}`)
  await dataOf(tab.page).fill(edited)
  return { id, tab, page: tab.page }
}

test('edits stay through every reload until they are discarded', async () => {
  const { tab, page } = await openEdited('reloaded', '{"total": 2}')
  for (let reload = 0; reload < 3; reload++) {
    await page.reload()
    await page.getByText('These are your unsaved edits.').waitFor()
    expect(await dataOf(page).inputValue()).toBe('{"total": 2}')
  }
  await page.getByRole('button', { name: 'Discard edits' }).click()
  await page.getByText('Your edits were discarded.').waitFor()
  await page.reload()
  await expect.poll(() => dataOf(page).inputValue()).toContain('"total": 1')
  await client.close(tab)
})

test('edits are shown to the person alone who typed them', async () => {
  const { id, tab, page } = await openEdited('owned', '{"total": 2}')
  const signInAgain = async (token: string) => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    await signIn(page, token)
    await page.goto(`/cases/${id}`)
  }
  await signInAgain(await client.server.token({ account: client.server.account, email: 'beta@example.com' }))
  await expect.poll(() => dataOf(page).inputValue()).toContain('"total": 1')
  expect(await page.getByText('These are your unsaved edits.').count()).toBe(0)
  await signInAgain(client.server.adminToken)
  await page.getByText('These are your unsaved edits.').waitFor()
  expect(await dataOf(page).inputValue()).toBe('{"total": 2}')
  await client.close(tab)
})
