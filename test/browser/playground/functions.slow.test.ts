import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { holdRequests } from '../hold-requests.ts'
import { field, openPlayground, openTypedPlayground, textOf, write } from '../playground.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

const script = (page: Page) => textOf(page, 'Script')

async function saveFunction(name: string, sourceCode: string) {
  const { body } = await server.graphql<{
    saveFunction: { readonly id: string; readonly live: { readonly hash: string } }
  }>('mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id live { hash } } }', {
    input: { name, sourceCode },
  })
  return body.data?.saveFunction ?? expect.unreachable()
}

async function sourceOf({ id }: { readonly id: string }): Promise<string | undefined> {
  const query = 'query($id: ID!) { function(id: $id) { live { sourceCode } } }'
  const { body } = await server.graphql<{ function: { live: { sourceCode: string } } }>(query, { id })
  return body.data?.function.live.sourceCode
}

async function openFunction(page: Page, { id }: { readonly id: string }, name: string): Promise<void> {
  await page.goto(`/playground?function=${id}`)
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

async function saveWith(page: Page, comment: string): Promise<void> {
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Comment').inputValue()).toBe('')
  await dialog.getByLabel('Comment').fill(comment)
  await page.keyboard.press('Enter')
}

async function chooseExample(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem', { name }).click()
}

test('a link to a function that does not exist, or is slow to come, leaves the draft among the drafts', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await write(page, 'Script', 'exit("mine")')
  await page.getByText('Draft saved').waitFor()
  await page.goto('/playground?function=99999')
  await page.getByRole('alert').filter({ hasText: 'There is no such function' }).waitFor()
  await write(page, 'Script', 'exit("other")')
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'exit("mine")' }).click()
  await expect.poll(() => script(page)).toBe('exit("mine")')

  const saved = await saveFunction('slow-to-come', 'exit("stored")')
  const held = await holdRequests(page, '**/graphql', 'FunctionToOpen')
  await page.goto(`/playground?function=${saved.id}`)
  await write(page, 'Script', 'exit("meanwhile")')
  const answered = page.waitForResponse('**/graphql')
  held.release()
  await answered
  await page.reload()
  await expect.poll(() => script(page)).toBe('exit("meanwhile")')
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'exit("mine")' }).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('a function that is slow to come says so, and no other script runs in its place', async () => {
  const saved = await saveFunction('slow-to-run', 'exit("stored")')
  const { page, faults } = await openPlayground(browser, server)
  const held = await holdRequests(page, '**/graphql', 'FunctionToOpen')
  await page.goto(`/playground?function=${saved.id}`)
  await page.getByRole('status').getByText('Loading the function…').waitFor()
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').getByText('The function is still loading.').waitFor()
  held.release()
  await expect.poll(() => script(page)).toBe('exit("stored")')
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByText('Loading the function…').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('status').getByText(/^exit/).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('a link to a script opens though the draft of the tab belongs to a function', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await openFunction(page, await saveFunction('with-draft', 'exit(1)'), 'with-draft')
  await write(page, 'Script', 'exit(2)')
  await page.getByRole('button', { name: 'Link' }).click()
  const link = await page.getByLabel('Link', { exact: true }).inputValue()
  await write(page, 'Script', 'exit(3)')
  await page.goto('/runs')
  await page.goto(link)
  await page.getByRole('status').filter({ hasText: 'From a link' }).waitFor()
  expect(await script(page)).toBe('exit(2)')
  expect(new URL(page.url()).search + new URL(page.url()).hash).toBe('')
  expect(faults).toEqual([])
  await page.context().close()
})

test('a draft that nobody changed gives way to another live version, and one with changes says so', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const first = await saveFunction('rolled-back', 'exit(1)')
  await openFunction(page, first, 'rolled-back')
  expect(await page.title()).toBe('rolled-back · Playground · Rostrum')
  await write(page, 'Script', 'exit(2)')
  await write(page, 'Input', '{"kept":1}')
  await saveWith(page, 'second')
  await page.getByText('Saved: this version is live').waitFor()
  const roll = `mutation($functionId: ID!, $hash: ID!) {
    makeVersionLive(functionId: $functionId, hash: $hash) { id } }`
  const rolled = await server.graphql(roll, { functionId: first.id, hash: first.live.hash })
  expect(rolled.body.errors).toBeUndefined()
  await page.reload()
  await page.getByRole('status').filter({ hasText: 'Another version is live now' }).waitFor()
  expect([await script(page), await textOf(page, 'Input')]).toEqual(['exit(1)', '{"kept":1}'])

  await write(page, 'Script', 'exit(3)')
  await saveFunction('rolled-back', 'exit(4)')
  await page.reload()
  await page.getByRole('status').filter({ hasText: 'Save shows both' }).waitFor()
  expect(await script(page)).toBe('exit(3)')
  expect(faults).toEqual([])
  await page.context().close()
})

test('each save begins with an empty comment, and one that ends late leaves another draft as it is', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const first = await saveFunction('saved-late', 'exit(1)')
  await openFunction(page, first, 'saved-late')
  await write(page, 'Script', 'exit(2)')
  await saveWith(page, 'fixes the total')
  await page.getByText('Saved: this version is live').waitFor()
  await write(page, 'Script', 'exit(3)')
  const held = await holdRequests(page, '**/graphql', 'SaveVersion')
  await saveWith(page, 'late')
  await page.keyboard.press('Escape')
  await chooseExample(page, 'Find a mistake')
  held.release()
  await page.getByRole('status').filter({ hasText: 'Saved saved-late' }).waitFor()
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
  expect([new URL(page.url()).search, await script(page)]).toEqual(['', expect.stringContaining('totl')])

  // Its own draft knows the version that was saved, and has no changes to it.
  await openFunction(page, first, 'saved-late')
  await expect.poll(() => script(page)).toBe('exit(3)')
  expect(await page.getByText('Your unsaved changes').count()).toBe(0)
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'saved-late' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'saved-late' }).waitFor()
  await write(page, 'Script', 'exit(4)')
  await saveWith(page, 'last')
  await page.getByText('Saved: this version is live').waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('the error of a run is no problem of a script that was opened meanwhile', async () => {
  const { page, faults } = await openTypedPlayground(browser, server)
  await write(page, 'Script', 'const until = Date.now() + 700; while (Date.now() < until); null.x')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('status').filter({ hasText: 'running' }).waitFor()
  await chooseExample(page, 'Refuse an input')
  await page.getByRole('status').filter({ hasText: 'error RUNTIME' }).waitFor()
  // The types of the script before it may have a problem for a moment more.
  const problems = page.getByRole('list', { name: 'Problems' }).getByRole('listitem')
  await expect.poll(() => problems.count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test.each([
  ['CRLF', 'log(1)\r\nexit(1)\r\n', 'log(1)\r\nexit(1)\r\n//'],
  ['mixed ends', 'log(1)\r\nexit(1)\n', 'log(1)\nexit(1)\n//'],
])(
  'a function with %s is saved as it is, and an edit keeps common line ends',
  async (ends, source, edited) => {
    const { page, faults } = await openPlayground(browser, server)
    const name = `ends-${ends.replace(' ', '-')}`
    const saved = await saveFunction(name, source)
    await openFunction(page, saved, name)
    for (const [text, expected] of [
      ['', source],
      ['//', edited],
    ] as const) {
      await field(page, 'Script').click()
      await page.keyboard.press('Control+End')
      await page.keyboard.insertText(text)
      await saveWith(page, 'ends')
      await page.getByText('Saved: this version is live').waitFor()
      expect(await sourceOf(saved)).toBe(expected)
    }
    expect(faults).toEqual([])
    await page.context().close()
  },
)

test('undo brings the own text back with its own ends of lines', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const saved = await saveFunction('undone', 'log(1)\r\nexit(1)')
  await openFunction(page, saved, 'undone')
  await field(page, 'Script').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText('//')
  await saveFunction('undone', 'log(2)\nexit(2)')
  await saveWith(page, 'mine')
  await page.getByRole('dialog').getByRole('button', { name: 'Take theirs' }).click()
  await expect.poll(() => script(page)).toBe('log(2)\nexit(2)')
  await field(page, 'Script').click()
  await page.keyboard.press('Control+z')
  await expect.poll(() => script(page)).toBe('log(1)\nexit(1)//')
  await saveWith(page, 'mine again')
  await page.getByText('Saved: this version is live').waitFor()
  expect(await sourceOf(saved)).toBe('log(1)\r\nexit(1)//')
  expect(faults).toEqual([])
  await page.context().close()
})

test('a function that nobody changed is no draft, and changes that were not saved are mentioned', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const saved = await saveFunction('only-read', 'exit(1)\nexit(2)')
  await openFunction(page, saved, 'only-read')
  await expect.poll(() => script(page)).toBe('exit(1)\nexit(2)')
  await field(page, 'Script').getByText('exit(2)').click()
  await page.getByText('Draft saved').waitFor()
  await saveFunction('only-read', 'exit(3)')
  await page.reload()
  await page.getByText('undo brings the last one back').waitFor()
  expect(await script(page)).toBe('exit(3)')

  const other = await saveFunction('read-next', 'exit("next")')
  await openFunction(page, other, 'read-next')
  await field(page, 'Script').getByText('next').click()
  await page.keyboard.type('x')
  await page.keyboard.press('ControlOrMeta+z')
  await page.getByText('Draft saved').waitFor()
  const last = await saveFunction('changed', 'exit("live")')
  await openFunction(page, last, 'changed')
  await write(page, 'Script', 'exit("mine")')
  await page.getByText('Draft saved').waitFor()
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'changed' }).waitFor()
  expect(
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(only-read|read-next)/ })
      .count(),
  ).toBe(0)

  await openFunction(page, other, 'read-next')
  expect(await page.getByText('Your unsaved changes').count()).toBe(0)
  await openFunction(page, last, 'changed')
  await page.getByText('Your unsaved changes to this function are among the drafts').waitFor()
  expect(await script(page)).toBe('exit("live")')
  await page.getByRole('heading', { level: 1 }).getByRole('link', { name: 'changed' }).click()
  await page.waitForURL(`**/functions/${last.id}`)
  expect(faults).toEqual([])
  await page.context().close()
})

test('the dialog forgets the name of another script, and a save stops no function that loads', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const name = page.getByRole('dialog').getByLabel('Name')
  await chooseExample(page, 'Refuse an input')
  await page.getByRole('button', { name: 'Save' }).click()
  await name.fill('name-of-a')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Save' }).click()
  expect(await name.inputValue()).toBe('name-of-a')
  await page.keyboard.press('Escape')
  await chooseExample(page, 'Find a mistake')
  await page.getByRole('button', { name: 'Save' }).click()
  expect(await name.inputValue()).toBe('')

  const saved = await saveFunction('still-loads', 'exit("loaded")')
  const held = await holdRequests(page, '**/graphql', 'FunctionToOpen')
  await page.goto(`/playground?function=${saved.id}`)
  await field(page, 'Script').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('alert').getByText('The function is still loading.').waitFor()
  held.release()
  await expect.poll(() => script(page)).toBe('exit("loaded")')
  expect(faults).toEqual([])
  await page.context().close()
})

test('names with `$` in the input are known, and types that failed to load come with the next change', async () => {
  const { page, faults } = await openTypedPlayground(browser, server)
  await page.route('**/rostrum.d.ts', route => route.abort())
  await page.reload()
  await page.getByText('Types could not be loaded').waitFor()
  await page.unroute('**/rostrum.d.ts')
  await write(page, 'Input', `{"$$hashKey":1,"cost in $'s":1,"plain":2}`)
  await write(page, 'Script', 'exit([payload.$$hashKey, payload.plain, payload.missing])')
  await page.getByText('Types ready').waitFor()
  const problems = page.getByRole('list', { name: 'Problems' }).getByRole('listitem')
  await expect.poll(() => problems.allInnerTexts()).toEqual([expect.stringContaining("'missing'")])
  expect(faults).toEqual([])
  await page.context().close()
})
