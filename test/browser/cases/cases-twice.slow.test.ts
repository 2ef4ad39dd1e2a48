import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdRequests } from '../hold-requests.ts'
import { CasesClient } from './cases-client.ts'

let client: CasesClient

beforeAll(async () => {
  client = await CasesClient.start()
})
afterAll(() => client.stop())

test('“Load more” pressed twice shows each older case once', async () => {
  for (let count = 0; count < 103; count++) await client.createCase('many', {})
  const tab = await client.open('/cases?type=many')
  const { page } = tab
  const rows = page.getByRole('list', { name: 'Cases' }).getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(100)
  const older = await holdRequests(page, '**/graphql', 'ListCases(')
  const more = page.getByRole('button', { name: 'Load more' })
  await more.click()
  await more.click()
  await expect.poll(older.count).toBe(2)
  await page.getByRole('button', { name: 'Load more loading…' }).waitFor()
  const answers = [1, 2].map(() => page.waitForResponse('**/graphql'))
  older.release()
  await Promise.all(answers)
  await more.waitFor({ state: 'detached' })
  expect(await rows.count()).toBe(103)
  const firstOlder = rows.nth(100).getByRole('link')
  await expect.poll(() => firstOlder.evaluate(link => link === document.activeElement)).toBe(true)
  await client.close(tab)
})

test('Enter pressed again while the page of a new case loads creates no other one', async () => {
  const tab = await client.open('/cases')
  const { page } = tab
  await page.getByRole('button', { name: 'New case' }).click()
  const field = page.getByRole('dialog').getByLabel('Case type')
  await field.fill('once')
  const next = await holdRequests(page, '**/cases/*')
  await page.keyboard.press('Enter')
  await expect.poll(next.count).toBe(1)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  next.release()
  await page.waitForURL('**/cases/*')
  await page.goto('/cases?type=once')
  const rows = page.getByRole('list', { name: 'Cases' }).getByRole('listitem')
  await rows.first().waitFor()
  expect(await rows.count()).toBe(1)
  await client.close(tab)
})

test('the id of a case that was typed is there after another page, and no more once the case was opened', async () => {
  const id = await client.createCase('typed', {})
  const tab = await client.open('/cases')
  const { page } = tab
  const field = page.getByRole('searchbox', { name: 'Open case' })
  await field.fill(String(id))
  await page.goto('/runs')
  await page.goto('/cases')
  await field.waitFor()
  expect(await field.inputValue()).toBe(String(id))
  await field.press('Enter')
  await page.waitForURL(`**/cases/${id}`)
  await page.goto('/cases')
  await field.waitFor()
  expect(await field.inputValue()).toBe('')
  await client.close(tab)
})

test('what is typed for the next case while one is created slowly stays', async () => {
  const tab = await client.open('/cases')
  const { page } = tab
  const add = page.getByRole('button', { name: 'New case' })
  await add.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Case type').fill('first')
  const creates = await holdRequests(page, '**/graphql', 'CreateCase(')
  await page.keyboard.press('Enter')
  await expect.poll(creates.count).toBe(1)
  await page.keyboard.press('Escape')
  await add.click()
  await dialog.getByLabel('Data of the new case').fill('{"next": true}')
  creates.release()
  await page.waitForURL('**/cases/*')
  await page.goto('/cases')
  await add.click()
  expect(await dialog.getByLabel('Data of the new case').inputValue()).toBe('{"next": true}')
  await client.close(tab)
})
