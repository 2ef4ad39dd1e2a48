import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { close, startBrowsing } from '../start-browsing.ts'

const { server, open } = await startBrowsing()

/** Saves an example under a name, and goes on to its function by the heading. */
async function saveExample(page: Page, example: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem', { name: example }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.keyboard.press('Enter')
  await page.getByText('Saved: this version is live').waitFor()
  await page.getByRole('heading', { level: 1 }).getByRole('link', { name }).click()
  await page.waitForURL('**/functions/*')
}

const saveCase = (data: object, id?: number) =>
  server.rest<{ case: { id: number; data: object }; detail: string }>('POST', '/platform/cases', {
    body: { case: { id, case_type_code: 'first', data } },
  })

test('the pages lead from an example to a hook that checks each case and a task that changes one', async () => {
  const tab = await open('/playground', { hasTypes: false })
  const { page } = tab
  await saveExample(page, 'Check a case, as a hook', 'check-first')
  await page.getByText('Its payload is the data of the case. Before a save, what it gives to exit').waitFor()
  await page.getByRole('button', { name: 'Add hook' }).click()
  await page.getByRole('dialog').getByLabel('Case type').fill('first')
  await page.keyboard.press('Enter')
  await page.getByText('The hook was added.').waitFor()
  expect(await saveCase({})).toMatchObject({ status: 422, body: { detail: 'A case needs an owner.' } })
  const { body } = await saveCase({ owner: 'ann', impact: 2, urgency: 3 })
  expect(body.case.data).toEqual({ owner: 'ann', impact: 2, urgency: 3, priority: 'high' })

  await page.goto('/playground')
  await saveExample(page, 'Change a case, as a task', 'escalate-first')
  await page.getByText('Its payload is the data of the case. What it gives to exit is stored.').waitFor()
  await page.getByRole('button', { name: 'Add task' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('escalate')
  await page.getByRole('dialog').getByLabel('Case type').fill('first')
  await page.keyboard.press('Enter')
  await page.getByText('The task was added.').waitFor()
  await page.goto(`/cases/${body.case.id}`)
  await page.getByRole('button', { name: 'Run escalate' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Params' }).fill('{"reason": "fire"}')
  await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Data' }).inputValue())
    .toContain('"reason": "fire"')
  await close(tab)
})
