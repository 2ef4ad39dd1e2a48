import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expireToken, findBarriers, signInAgain } from '../open-browser.ts'
import { CasesClient, dataOf } from './cases-client.ts'

let client: CasesClient

beforeAll(async () => {
  client = await CasesClient.start()
})
afterAll(() => client.stop())

// Says what stands before the cursor on its line, and whether that line can be seen.
const placeIn = (field: Locator) =>
  field.evaluate((element: HTMLTextAreaElement) => {
    const before = element.value.slice(0, element.selectionStart).split('\n')
    const y = before.length * Number.parseFloat(getComputedStyle(element).lineHeight)
    return {
      before: before.at(-1),
      isFocused: document.activeElement === element,
      isShown: y > element.scrollTop && y < element.scrollTop + element.clientHeight + 1,
    }
  })

test('cases are listed by type, and a new one is made without JSON over the wire', async () => {
  const tab = await client.open('/cases')
  const { page } = tab
  await page.getByText('No cases yet').waitFor()
  // A label in two lines is higher than its field.
  const label = page.getByRole('search').locator('label').filter({ hasText: 'Open case' })
  const heights = await Promise.all([label, label.getByRole('searchbox')].map(it => it.boundingBox()))
  expect(heights[0]?.height).toBe(heights[1]?.height)
  expect(await findBarriers(page)).toEqual([])
  await client.createCase('order', {})
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
  await page.goto('/cases?type=%3Cb%3E')
  expect(await page.getByRole('alert').innerText()).toBe(
    'No case type can have the name “<b>”. Choose another one.',
  )
  await client.close(tab)
})

test('a long refusal of a hook scrolls in itself, and the edits stay in reach', async () => {
  const sourceCode = 'if (payload.bad) fail("no good\\n".repeat(10_000)); exit(payload)'
  await client.saveFunction('ramble', 'rambled', sourceCode)
  await client.send('mutation($input: SaveHookInput!) { saveHook(input: $input) { id } }', {
    ...{ caseTypeCode: 'rambled', event: 'PRE_SAVE', functionName: 'ramble' },
  })
  const tab = await client.open(`/cases/${await client.createCase('rambled', {})}`)
  const { page } = tab
  await dataOf(page).fill('{"bad": true}')
  await page.getByRole('button', { name: 'Save' }).click()
  const alert = page.getByRole('alert')
  await alert.getByText('no good').waitFor()
  expect((await alert.boundingBox())?.height).toBeLessThan(400)
  expect(await findBarriers(page)).toEqual([])
  await client.close(tab)
})

test('a dry run shows the patch and saves nothing, a refusing hook is quoted, and the edits stay', async () => {
  await client.saveFunction(
    'check',
    'checked',
    'if (payload.bad) fail("A case <i>must</i> be good."); exit(payload)',
  )
  await client.send('mutation($input: SaveHookInput!) { saveHook(input: $input) { id } }', {
    ...{ caseTypeCode: 'checked', event: 'PRE_SAVE', functionName: 'check' },
  })
  const id = await client.createCase('checked', { total: 1 })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  await dataOf(page).fill('{"total": 5}')
  await page.getByRole('button', { name: 'Dry run' }).click()
  const patch = page.getByRole('region', { name: 'Patch' })
  await expect.poll(() => patch.innerText()).toContain('"/total"')
  expect((await client.readCase(id)).version).toBe(1)

  await dataOf(page).fill('{"total": 5, "bad": true}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('A case <i>must</i> be good.').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Look at the run' }).click()
  await page.getByRole('region', { name: 'Result' }).getByText('A case <i>must</i> be good.').waitFor()
  await page.goBack()
  await page.getByText('These are your unsaved edits.').waitFor()
  expect(await dataOf(page).inputValue()).toBe('{"total": 5, "bad": true}')
  await dataOf(page).fill('{"total": 5')
  await page.keyboard.press('Control+s')
  await page.getByRole('alert').getByText('not valid JSON: it ends too early').waitFor()
  const lines = Array.from({ length: 300 }, (_, line) => `"field ${line}": ${line},\n`)
  await dataOf(page).fill(`{${lines.join('')}"last": oops}`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Data is not valid JSON at Ln 301, Col 9.').waitFor()
  expect(await placeIn(dataOf(page))).toEqual({ before: '"last": ', isFocused: true, isShown: true })
  await dataOf(page).fill(`{"a": "${'word '.repeat(4_000)}", "b": oops}`)
  await page.keyboard.press('Control+s')
  await page.getByRole('alert').getByText('Col 20016').waitFor()
  const below = await dataOf(page).evaluate(own => own.scrollHeight - own.scrollTop - own.clientHeight)
  expect(below).toBeLessThan(100)
  for (const number of ['9007199254740993', '1e999']) {
    await dataOf(page).fill(`{"total": ${number}}`)
    await page.keyboard.press('Control+s')
    await page.getByRole('alert').getByText(`${number} cannot be kept as a number`).waitFor()
  }
  await dataOf(page).fill('{"total": 5}')
  await page.keyboard.press('Control+s')
  await page.getByText('Saved as version 2.').waitFor()
  expect((await client.readCase(id)).data).toEqual({ total: 5 })
  const rows = page.getByRole('table', { name: 'History' }).getByRole('row')
  await expect.poll(() => rows.count()).toBe(3)
  expect(await rows.nth(1).innerText()).toMatch(/\/total 1 → 5/)
  await client.close(tab)
})

test('what somebody else saved meanwhile stays, and so do the edits', async () => {
  const id = await client.createCase('shared', { total: 1 })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  await expect.poll(() => dataOf(page).inputValue()).toContain('1')
  await client.changeCase(id, { total: 2 })
  await dataOf(page).fill('{"total": 3}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('somebody else changed this case meanwhile').waitFor()
  expect(await dataOf(page).inputValue()).toBe('{"total": 3}')
  expect((await client.readCase(id)).data).toEqual({ total: 2 })
  await page.getByRole('button', { name: 'Discard edits' }).click()
  await expect.poll(() => dataOf(page).inputValue()).toContain('2')
  await client.close(tab)
})

test('a task runs with its params, and the case shows its result', async () => {
  const source = 'exit({ ...payload, level: options.params.level })'
  await client.saveTask('Escalate', 'tasked', `if (!options.params.level) fail("No level."); ${source}`)
  const id = await client.createCase('tasked', { total: 1 })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Run Escalate' }).click()
  await dialog.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').getByText('No level.').waitFor()
  await page.getByRole('link', { name: 'Look at the run' }).click()
  await page.getByRole('region', { name: 'Result' }).getByText('No level.').waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Run Escalate' }).click()
  await dialog.getByLabel('Params').fill('{"level": 4}')
  expect(await findBarriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Run' }).click()
  await expect.poll(() => dataOf(page).inputValue()).toContain('"level": 4')
  expect((await client.readCase(id)).data).toEqual({ total: 1, level: 4 })
  await page.getByRole('link', { name: 'What ran on this case' }).click()
  await page.waitForURL(`**/runs?text=${id}`)
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'escalate' }).first().waitFor()
  await client.close(tab)
})

test('the params of one task do not come up in the dialog of another, nor after a run', async () => {
  for (const name of ['Alpha', 'Beta']) await client.saveTask(name, 'paired', 'exit(payload)')
  const id = await client.createCase('paired', {})
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  const dialog = page.getByRole('dialog')
  const params = dialog.getByLabel('Params')
  const ask = (name: string) => page.getByRole('button', { name: `Run ${name}` }).click()
  await ask('Alpha')
  await params.fill('{"amount": 1}')
  await page.keyboard.press('Escape')
  await ask('Alpha')
  expect(await params.inputValue()).toBe('{"amount": 1}')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await ask('Alpha')
  expect(await params.inputValue()).toBe('{}')
  await params.fill('{"amount": 1}')
  await page.keyboard.press('Escape')
  await ask('Beta')
  expect(await params.inputValue()).toBe('{}')
  await params.fill('{"amount": 2}')
  await dialog.getByRole('button', { name: 'Run' }).click()
  await page.getByText('Ran Beta.').waitFor()
  await ask('Beta')
  expect(await params.inputValue()).toBe('{}')
  await client.close(tab)
})

test('a new case that was typed with a token that expired is there after signing in again', async () => {
  const tab = await client.open('/cases')
  const { page } = tab
  const dialog = page.getByRole('dialog')
  const data = dialog.getByLabel('Data of the new case')
  const ask = () => page.getByRole('button', { name: 'New case' }).click()
  await ask()
  await dialog.getByLabel('Case type').fill('typed')
  await data.fill('{"long": "work"}')
  await expireToken(page)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await signInAgain(page, client.server.adminToken)
  await ask()
  expect(await data.inputValue()).toBe('{"long": "work"}')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/cases/*')
  await expect.poll(() => dataOf(page).inputValue()).toContain('"long": "work"')

  await page.goto('/cases')
  await ask()
  expect(await data.inputValue()).toBe('{}')
  await data.fill('{"cancelled": true}')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.reload()
  await ask()
  expect(await data.inputValue()).toBe('{}')
  await client.close(tab)
})

test('a save of a case that was deleted meanwhile says what to do, and the edits stay', async () => {
  const id = await client.createCase('gone', { total: 1 })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  await dataOf(page).fill('{"total": 2}')
  await client.server.rest('DELETE', `/platform/cases/${id}`)
  for (const button of ['Dry run', 'Save']) {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('alert').getByText('copy them into a new case').waitFor()
    expect(await dataOf(page).inputValue()).toBe('{"total": 2}')
  }
  await page.reload()
  await page.getByRole('alert').getByText('There is no such case').waitFor()
  expect(await page.getByLabel('Your unsaved edits').inputValue()).toBe('{"total": 2}')
  expect(await findBarriers(page)).toEqual([])
  await client.close(tab)
})

test('an unknown case, one of another account and no id are alike, and a reader has no buttons', async () => {
  const id = await client.createCase('secret', { total: 1 })
  const other = await client.open(
    `/cases/${id}`,
    await client.server.token({ account: `${client.server.account}-other` }),
  )
  const words = await other.page.getByRole('alert').innerText()
  for (const unknown of ['999999', 'none']) {
    await other.page.goto(`/cases/${unknown}`)
    expect(await other.page.getByRole('alert').innerText()).toBe(words)
  }
  expect(await findBarriers(other.page)).toEqual([])
  await client.close(other)

  const token = await client.server.token({ account: client.server.account, scopes: ['cases:read'] })
  const tab = await client.open(`/cases/${id}`, token)
  await expect.poll(() => dataOf(tab.page).inputValue()).toContain('total')
  for (const name of ['Save', 'Dry run'])
    expect(await tab.page.getByRole('button', { name }).count(), name).toBe(0)
  await client.close(tab)
})
