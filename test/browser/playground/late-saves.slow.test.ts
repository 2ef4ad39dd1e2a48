import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type HeldRequests, holdRequests, loseFirstAnswer } from '../hold-requests.ts'
import { textOf, write } from '../playground.ts'
import { close, startBrowsing } from '../start-browsing.ts'

const { server, open } = await startBrowsing()

async function saveFunction(name: string, sourceCode: string): Promise<string> {
  const { body } = await server.graphql<{ saveFunction: { id: string } }>(
    'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }',
    { input: { name, sourceCode } },
  )
  return body.data?.saveFunction.id ?? expect.unreachable()
}

async function sourceOf(id: string): Promise<string | undefined> {
  const query = 'query($id: ID!) { function(id: $id) { live { sourceCode } } }'
  const { body } = await server.graphql<{ function: { live: { sourceCode: string } } }>(query, { id })
  return body.data?.function.live.sourceCode
}

/** Opens a function, asks for a save that waits, and closes its dialog. */
async function saveSlowly(page: Page, sourceCode: string): Promise<HeldRequests> {
  await write(page, 'Script', sourceCode)
  const saves = await holdRequests(page, '**/graphql', 'SaveVersion')
  await page.keyboard.press('Control+S')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await expect.poll(saves.count).toBe(1)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  return saves
}

/** Opens the page of a function, which waits. */
async function openSlowly(page: Page, id: string): Promise<HeldRequests> {
  const held = await holdRequests(page, '**/graphql', 'FunctionToOpen')
  await page.goto(`/playground?function=${id}`)
  await expect.poll(held.count).toBe(1)
  return held
}

test('Escape keeps the comment of a save, and Cancel forgets it', async () => {
  const id = await saveFunction('commented', 'exit(1)')
  const tab = await open(`/playground?function=${id}`, { hasTypes: false })
  const { page } = tab
  await page.getByRole('heading', { level: 1, name: 'commented' }).waitFor()
  await write(page, 'Script', 'exit(2)')
  const dialog = page.getByRole('dialog')
  const comment = dialog.getByLabel('Comment')
  const ask = () => page.keyboard.press('Control+S')
  await ask()
  await comment.fill('typed')
  await page.keyboard.press('Escape')
  await ask()
  expect(await comment.inputValue()).toBe('typed')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await ask()
  expect(await comment.inputValue()).toBe('')
  await close(tab)
})

test('a slow save that is refused brings its function into no dialog of another script', async () => {
  const id = await saveFunction('refused-late', 'exit(1)')
  const tab = await open(`/playground?function=${id}`, { hasTypes: false })
  const { page } = tab
  await expect.poll(() => textOf(page, 'Script')).toBe('exit(1)')
  await saveFunction('refused-late', 'exit("theirs")')
  const saves = await saveSlowly(page, 'exit("mine")')
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem', { name: 'Read parameters' }).click()
  await page.keyboard.press('Control+S')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('another')
  saves.release()
  const save = dialog.locator('button.main[aria-disabled="false"]')
  await save.waitFor()
  expect(await save.innerText()).toBe('Save')
  await save.press('Enter')
  await page.getByText('Saved: this version is live').waitFor()
  expect(await sourceOf(id)).toBe('exit("theirs")')
  await close(tab)
})

test('a slow save that is done leaves a dialog that was opened again, which saves what came after it', async () => {
  const id = await saveFunction('done-late', 'exit(1)')
  const tab = await open(`/playground?function=${id}`, { hasTypes: false })
  const { page } = tab
  await expect.poll(() => textOf(page, 'Script')).toBe('exit(1)')
  const saves = await saveSlowly(page, 'exit(2)')
  await write(page, 'Script', 'exit(3)')
  await page.keyboard.press('Control+S')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Comment').fill('the third')
  saves.release()
  await dialog.locator('button.main[aria-disabled="false"]').press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  expect(await sourceOf(id)).toBe('exit(3)')
  await close(tab)
})

test('a slow save that is refused after its dialog was closed is said in an alert', async () => {
  const id = await saveFunction('refused-closed', 'exit(1)')
  const tab = await open(`/playground?function=${id}`, { hasTypes: false })
  const { page } = tab
  await expect.poll(() => textOf(page, 'Script')).toBe('exit(1)')
  await saveFunction('refused-closed', 'exit("theirs")')
  const saves = await saveSlowly(page, 'exit("mine")')
  saves.release()
  await page.getByRole('alert').getByText('Nothing was saved: another version is live.').waitFor()
  await page.keyboard.press('Control+S')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter')
  await page.getByRole('button', { name: 'Save mine' }).waitFor()
  await close(tab)
})

test('a slow save of a function that was removed, after its dialog was closed, is said in an alert', async () => {
  const id = await saveFunction('removed-closed', 'exit(1)')
  const tab = await open(`/playground?function=${id}`, { hasTypes: false })
  const { page } = tab
  await expect.poll(() => textOf(page, 'Script')).toBe('exit(1)')
  await server.graphql('mutation($id: ID!) { removeFunction(id: $id) { id } }', { id })
  const saves = await saveSlowly(page, 'exit(2)')
  saves.release()
  await page.getByRole('alert').getByText('removed-closed was removed meanwhile').waitFor()
  await close(tab)
})

test('while a function loads, nothing is saved or run in its place, also after a link was made', async () => {
  const id = await saveFunction('loads-late', 'exit("stored")')
  const tab = await open('/playground', { hasTypes: false })
  const { page } = tab
  const held = await openSlowly(page, id)
  const refusal = page.getByRole('alert').getByText('The function is still loading.')
  await page.keyboard.press('Control+S')
  await refusal.waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('button', { name: 'Link' }).click()
  await page.getByText('Loading the function…').waitFor({ state: 'detached' })
  const runs = await holdRequests(page, '**/execute')
  await page.getByRole('button', { name: 'Run' }).click()
  held.release()
  await expect.poll(() => textOf(page, 'Script')).toBe('exit("stored")')
  expect(runs.count()).toBe(0)
  expect(await refusal.count()).toBe(0)
  await close(tab)
})

test('a draft that is opened while its function loads is not replaced by the live version', async () => {
  const id = await saveFunction('draft-first', 'exit("stored")')
  const tab = await open(`/playground?function=${id}`, { hasTypes: false })
  const { page } = tab
  await expect.poll(() => textOf(page, 'Script')).toBe('exit("stored")')
  await write(page, 'Script', 'exit("mine")')
  await page.getByText('Draft saved').waitFor()
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem', { name: 'Read parameters' }).click()
  const held = await openSlowly(page, id)
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'draft-first' }).click()
  await expect.poll(held.count).toBe(2)
  held.release()
  await page.getByText('Loading the function…').waitFor({ state: 'detached' })
  await page.waitForTimeout(500)
  expect(await textOf(page, 'Script')).toBe('exit("mine")')
  await close(tab)
})

test('a function that comes after the person began to write is not opened, and the page says so', async () => {
  const id = await saveFunction('late', 'exit(1)')
  const tab = await open('/playground', { hasTypes: false })
  const { page } = tab
  const held = await openSlowly(page, id)
  await write(page, 'Script', 'exit("mine")')
  held.release()
  await page.getByText('“late” was not opened, because you began something else').waitFor()
  expect(await textOf(page, 'Script')).toBe('exit("mine")')
  await close(tab)
})

test('a save whose answer was lost is no version of somebody else after a reload', async () => {
  const id = await saveFunction('answer-lost', 'exit(1)')
  const tab = await open(`/playground?function=${id}`, { hasTypes: false })
  const { page } = tab
  await page.getByRole('heading', { level: 1, name: 'answer-lost' }).waitFor()
  await write(page, 'Script', 'exit(2)')
  await loseFirstAnswer(page, 'SaveVersion')
  await page.keyboard.press('Control+S')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter')
  await page.getByRole('alert').waitFor()
  expect(await sourceOf(id)).toBe('exit(2)')
  await page.reload()
  const drafts = () => page.evaluate(() => Object.values(localStorage).map(text => JSON.parse(text).isBase))
  await expect.poll(drafts).toEqual([true])
  expect(await page.getByText('Another version is live').count()).toBe(0)
  await close(tab)
})

test('a function in the address comes before what waited to be opened', async () => {
  const id = await saveFunction('asked-for', 'exit("asked for")')
  const tab = await open('/functions')
  const { page } = tab
  await page.route('**/playground', route => route.fulfill({ status: 503, body: 'away' }))
  await page.getByRole('link', { name: 'New', exact: true }).click()
  await page.waitForURL('**/playground')
  await page.unroute('**/playground')
  await page.goto(`/playground?function=${id}`)
  await page.getByRole('heading', { level: 1, name: 'asked-for' }).waitFor()
  expect(await textOf(page, 'Script')).toBe('exit("asked for")')
  expect(await page.evaluate(() => sessionStorage.getItem('rostrum.open'))).toBeNull()
  await close(tab)
})
