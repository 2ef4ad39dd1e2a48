import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { holdRequests } from './hold-requests.ts'
import { close, startBrowsing } from './start-browsing.ts'

const { server, open } = await startBrowsing()

async function create(query: string, input: object): Promise<void> {
  const { body } = await server.graphql(query, { input })
  expect(body.errors).toBeUndefined()
}

async function hasFocus(page: Page, text: string): Promise<void> {
  const read = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
  await expect.poll(read).toMatch(new RegExp(`^${text}`))
}

test('the buttons of a case keep the focus, and the field takes it from one that goes', async () => {
  const { body } = await server.rest<{ case: { id: number } }>('POST', '/platform/cases', {
    body: { case: { case_type_code: 'focused', data: { total: 1 } } },
  })
  const tab = await open(`/cases/${body.case.id}`)
  const { page } = tab
  const data = page.getByRole('textbox', { name: 'Data' })
  await data.fill('{"total": 2}')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await page.getByText('Saved as version 2.').waitFor()
  await hasFocus(page, 'Save')
  await page.getByRole('button', { name: 'Dry run' }).press('Enter')
  await page.getByText('Nothing would change.').waitFor()
  await hasFocus(page, 'Dry run')
  await data.fill('{"total": 3}')
  await page.getByRole('button', { name: 'Discard edits' }).press('Enter')
  await page.getByText('Your edits were discarded.').waitFor()
  expect(await data.evaluate(field => field === document.activeElement)).toBe(true)
  await close(tab)
})

test('a slow “Discard edits” takes the focus from nothing else', async () => {
  const { body } = await server.rest<{ case: { id: number } }>('POST', '/platform/cases', {
    body: { case: { case_type_code: 'left', data: { total: 1 } } },
  })
  const tab = await open(`/cases/${body.case.id}`)
  const { page } = tab
  await page.getByRole('textbox', { name: 'Data' }).fill('{"total": 2}')
  const loads = await holdRequests(page, '**/graphql', 'FindCase(')
  await page.getByRole('button', { name: 'Discard edits' }).press('Enter')
  await expect.poll(loads.count).toBe(1)
  await page.getByRole('link', { name: 'Runs' }).focus()
  loads.release()
  const discard = page.getByRole('button', { name: 'Discard edits' })
  await page.getByText('Your edits were discarded.').waitFor()
  await discard.waitFor({ state: 'detached' })
  await hasFocus(page, 'Runs')
  await close(tab)
})

test('after the last hook of a function was removed, the button that adds one has the focus', async () => {
  const functionName = 'focused'
  await create('mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    ...{ name: functionName, sourceCode: 'exit(payload)' },
  })
  await create('mutation($input: SaveHookInput!) { saveHook(input: $input) { id } }', {
    ...{ event: 'POST_SAVE', caseTypeCode: 'hooked', functionName, scopes: [] },
  })
  const tab = await open('/functions')
  const { page } = tab
  await page.getByRole('link', { name: functionName }).click()
  const hooks = page.getByRole('list', { name: 'Hooks' })
  await hooks.getByRole('button', { name: 'Remove' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter')
  await page.getByText('was removed').waitFor()
  await hasFocus(page, 'Add hook')
  await close(tab)
})

test('a save that is refused leaves the focus on its button', async () => {
  const tab = await open('/playground')
  const { page } = tab
  await page.getByText('Types ready').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('not a name/')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await dialog.getByRole('alert').waitFor()
  await hasFocus(page, 'Save')
  await close(tab)
})

test('“Roll back” keeps the focus in the list, and a slow one takes it from nothing else', async () => {
  const save = async (sourceCode: string) => {
    const mutation =
      'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id live { hash } } }'
    const { body } = await server.graphql<{ saveFunction: { id: string; live: { hash: string } } }>(
      mutation,
      {
        input: { name: 'rolled', sourceCode },
      },
    )
    return body.data?.saveFunction ?? expect.unreachable()
  }
  await save('exit(0)')
  const { id: functionId, live } = await save('exit(1)')
  await save('exit(2)')
  const tab = await open(`/functions/${functionId}`)
  const { page } = tab
  const button = page.getByRole('button', { name: 'Roll back' }).last()
  await page.getByText('+exit(2)').waitFor()
  const rollBack = 'mutation($id: ID!, $hash: ID!) { makeVersionLive(functionId: $id, hash: $hash) { id } }'
  await server.graphql(rollBack, { id: functionId, hash: live.hash })
  await button.press('Enter')
  await page.getByRole('alert').getByText('Nothing was changed').waitFor()
  await hasFocus(page, 'Roll back')
  const changes = await holdRequests(page, '**/graphql', 'RollBack(')
  await button.press('Enter')
  await expect.poll(changes.count).toBe(1)
  await page.getByRole('link', { name: 'Docs' }).focus()
  changes.release()
  await page.getByText('is live.').waitFor()
  await button.waitFor()
  await hasFocus(page, 'Docs')
  await close(tab)
})
