import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'
import { findBarriers, openBrowser, openTab, signIn, type WatchedTab } from '../open-browser.ts'

let server: SharedServer
let browser: Browser

beforeAll(async () => {
  server = await shareServer()
  browser = await openBrowser()
})
afterAll(() => browser.close())

async function open(path: string, token = server.adminToken): Promise<WatchedTab> {
  const tab = await openTab(browser, server.baseUrl)
  await signIn(tab.page, token)
  await tab.page.goto(path)
  await tab.page.getByRole('heading', { level: 1 }).waitFor()
  return tab
}

async function close({ page, faults }: WatchedTab): Promise<void> {
  expect(faults).toEqual([])
  await page.context().close()
}

async function send(query: string, input: object): Promise<void> {
  const { body } = await server.graphql(query, { input })
  expect(body.errors).toBeUndefined()
}

async function saveFunction(name: string, caseTypeCode: string, sourceCode: string): Promise<void> {
  await send('mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    ...{ name, caseTypeCode, sourceCode },
  })
}

interface StoredCase {
  readonly id: number
  readonly version: number
  readonly data: unknown
}

async function createCase(type: string, data: object): Promise<number> {
  const { body } = await server.rest<{ case: StoredCase }>('POST', '/platform/cases', {
    body: { case: { case_type_code: type, data } },
  })
  return body.case.id
}

async function readCase(id: number): Promise<StoredCase> {
  return (await server.rest<{ case: StoredCase }>('GET', `/platform/cases/${id}`)).body.case
}

const dataOf = (page: Page) => page.getByRole('textbox', { name: 'Data' })

test('cases are listed by type, and a new one is made without JSON over the wire', async () => {
  const tab = await open('/cases')
  const { page } = tab
  await page.getByText('No cases yet').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await createCase('order', {})
  await page.getByRole('button', { name: 'New case' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Case type').fill('incident')
  await dialog.getByLabel('Data of the new case').fill('{"title": "<b>Printer</b>"')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Data of the new case').fill('{"title": "<b>Printer</b>"}')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/cases/*')
  await expect.poll(() => dataOf(page).inputValue()).toContain('<b>Printer</b>')
  await page.goto('/cases')
  await page.getByRole('combobox', { name: 'Type' }).selectOption('order')
  await page.waitForURL('**/cases?type=order')
  await expect.poll(() => page.getByRole('list', { name: 'Cases' }).getByRole('listitem').count()).toBe(1)
  expect(await findBarriers(page)).toEqual([])
  await page.goBack()
  await expect.poll(() => page.getByRole('list', { name: 'Cases' }).getByRole('listitem').count()).toBe(2)
  await close(tab)
})

test('a dry run shows the patch and saves nothing, a refusing hook is quoted, and the edits stay', async () => {
  await saveFunction(
    'check',
    'checked',
    'if (payload.bad) fail("A case <i>must</i> be good."); exit(payload)',
  )
  await send('mutation($input: SaveHookInput!) { saveHook(input: $input) { id } }', {
    ...{ caseTypeCode: 'checked', event: 'PRE_SAVE', functionName: 'check' },
  })
  const id = await createCase('checked', { total: 1 })
  const tab = await open(`/cases/${id}`)
  const { page } = tab
  await dataOf(page).fill('{"total": 5}')
  await page.getByRole('button', { name: 'Dry run' }).click()
  const patch = page.getByRole('region', { name: 'Patch' })
  await expect.poll(() => patch.innerText()).toContain('"/total"')
  expect((await readCase(id)).version).toBe(1)

  await dataOf(page).fill('{"total": 5, "bad": true}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('A case <i>must</i> be good.').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.reload()
  await page.getByText('These are your unsaved edits.').waitFor()
  expect(await dataOf(page).inputValue()).toBe('{"total": 5, "bad": true}')
  await dataOf(page).fill('{"total": 5')
  await page.keyboard.press('Control+s')
  await page.getByRole('alert').getByText('no valid JSON').waitFor()
  for (const number of ['9007199254740993', '1e999']) {
    await dataOf(page).fill(`{"total": ${number}}`)
    await page.keyboard.press('Control+s')
    await page.getByRole('alert').getByText(`${number} cannot be kept as a number`).waitFor()
  }
  await dataOf(page).fill('{"total": 5}')
  await page.keyboard.press('Control+s')
  await page.getByText('Saved as version 2.').waitFor()
  expect((await readCase(id)).data).toEqual({ total: 5 })
  const rows = page.getByRole('table', { name: 'History' }).getByRole('row')
  await expect.poll(() => rows.count()).toBe(3)
  expect(await rows.nth(1).innerText()).toMatch(/\/total 1 → 5/)
  await close(tab)
})

test('what somebody else saved meanwhile stays, and so do the edits', async () => {
  const id = await createCase('shared', { total: 1 })
  const tab = await open(`/cases/${id}`)
  const { page } = tab
  await expect.poll(() => dataOf(page).inputValue()).toContain('1')
  await server.rest('PUT', `/platform/cases/${id}`, { body: { case: { data: { total: 2 } } } })
  await dataOf(page).fill('{"total": 3}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('somebody else changed this case meanwhile').waitFor()
  expect(await dataOf(page).inputValue()).toBe('{"total": 3}')
  expect((await readCase(id)).data).toEqual({ total: 2 })
  await page.getByRole('button', { name: 'Discard edits' }).click()
  await expect.poll(() => dataOf(page).inputValue()).toContain('2')
  await close(tab)
})

test('a task runs with its params, and the case shows its result', async () => {
  await saveFunction('escalate', 'tasked', 'exit({ ...payload, level: options.params.level })')
  await send('mutation($input: SaveCaseTaskInput!) { saveCaseTask(input: $input) { id } }', {
    ...{ caseTypeCode: 'tasked', name: 'Escalate', functionName: 'escalate' },
  })
  const id = await createCase('tasked', { total: 1 })
  const tab = await open(`/cases/${id}`)
  const { page } = tab
  await page.getByRole('button', { name: 'Run Escalate' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Params').fill('{"level": 4}')
  expect(await findBarriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Run' }).click()
  await expect.poll(() => dataOf(page).inputValue()).toContain('"level": 4')
  expect((await readCase(id)).data).toEqual({ total: 1, level: 4 })
  await close(tab)
})

test('an unknown case, one of another account and no id are alike, and a reader has no buttons', async () => {
  const id = await createCase('secret', { total: 1 })
  const other = await open(`/cases/${id}`, await server.token({ account: `${server.account}-other` }))
  const words = await other.page.getByRole('alert').innerText()
  for (const unknown of ['999999', 'none']) {
    await other.page.goto(`/cases/${unknown}`)
    expect(await other.page.getByRole('alert').innerText()).toBe(words)
  }
  expect(await findBarriers(other.page)).toEqual([])
  await close(other)

  const token = await server.token({ account: server.account, scopes: ['cases:read'] })
  const tab = await open(`/cases/${id}`, token)
  await expect.poll(() => dataOf(tab.page).inputValue()).toContain('total')
  for (const name of ['Save', 'Dry run'])
    expect(await tab.page.getByRole('button', { name }).count(), name).toBe(0)
  await close(tab)
})
