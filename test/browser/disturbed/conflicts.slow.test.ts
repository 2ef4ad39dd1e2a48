import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { field, write } from '../playground.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, open } = await startBrowsing()

/** Loses every request of the page whose body has this text. */
const lose = (page: Page, text: string) =>
  page.route('**/graphql', route =>
    route.request().postData()?.includes(text) ? route.abort() : route.fallback(),
  )

async function change<Data extends object>(query: string, input: object): Promise<Data | undefined> {
  return (await server.graphql<Data>(query, { input })).body.data ?? undefined
}

interface SavedCase {
  readonly saveCase: { readonly case: { readonly id: string } }
}

interface SavedFunction {
  readonly saveFunction: { readonly id: string }
}

const saveCase = 'mutation($input: SaveCaseInput!) { saveCase(input: $input) { case { id } } }'
const saveFunction = 'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }'

test('a case that somebody else changed and that does not load says so in plain words', async () => {
  const made = await change<SavedCase>(saveCase, { caseTypeCode: 'lost', data: { total: 1 } })
  const id = made?.saveCase.case.id
  const { page } = await open(`/cases/${id}`)
  await page.getByLabel('Data').fill('{ "total": 3 }')
  await change(saveCase, { id, data: { total: 2 } })
  await lose(page, 'FindCase(')
  await page.keyboard.press('Control+S')
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.innerText()).toBe(
    'Nothing was saved: somebody else changed this case meanwhile. What they saved could not be loaded. Try again.',
  )
  await page.unroute('**/graphql')
  await page.keyboard.press('Control+S')
  await alert.getByText('Look at what they changed').waitFor()
  expect(await page.getByLabel('Data').inputValue()).toBe('{ "total": 3 }')
  await page.context().close()
})

test('a function whose other version does not load says so, and shows both after another press', async () => {
  const made = await change<SavedFunction>(saveFunction, { name: 'lost', sourceCode: 'exit(1)' })
  const { page } = await open(`/playground?function=${made?.saveFunction.id}`, { hasTypes: false })
  await field(page, 'Script').getByText('exit(1)').waitFor()
  await write(page, 'Script', 'exit(3)')
  await change(saveFunction, { name: 'lost', sourceCode: 'exit(2)' })
  await lose(page, 'FunctionToOpen(')
  const dialog = page.getByRole('dialog')
  await page.keyboard.press('Control+S')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await dialog.getByRole('alert').innerText()).toBe(
    'Nothing was saved: another version is live, and it could not be loaded. Try again.',
  )
  await page.unroute('**/graphql')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Save mine' }).waitFor()
  await page.context().close()
})

test('a list of members that does not load is not said to be how it is now', async () => {
  const { body } = await server.rest<{ team_membership: { id: number } }>(
    'POST',
    '/platform/team_memberships',
    { body: { team_membership: { user_id: 9, team_id: 303 } } },
  )
  const { page } = await open('/members?team=303')
  const remove = page.getByRole('button', { name: 'Remove' })
  await remove.waitFor()
  await server.rest('DELETE', `/platform/team_memberships/${body.team_membership.id}`)
  await lose(page, 'query')
  await page.route('**/graphql', route =>
    route.request().postData()?.includes('"mutation') ? route.continue() : route.fallback(),
  )
  await remove.click()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.innerText()).toBe(
    'Nothing was done: somebody else changed this membership meanwhile. Reload the page to see how it is.',
  )
  await page.context().close()
})
