import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { enter, isInView } from '../open-browser.ts'
import { field, openPlayground, textOf, write } from '../playground.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

async function saveFunction(name: string, sourceCode: string): Promise<string> {
  const { body } = await server.graphql<{ saveFunction: { readonly id: string } }>(
    'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }',
    { input: { name, sourceCode } },
  )
  return body.data?.saveFunction.id ?? expect.unreachable()
}

async function openFunction(page: Page, id: string, name: string): Promise<void> {
  await page.goto(`/playground?function=${id}`)
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

/** Opens a link to this script in the open playground. */
async function openLink(page: Page, script: string): Promise<void> {
  const packed = await page.evaluate(async text => {
    const stream = new Blob([JSON.stringify({ script: text })]).stream()
    const bytes = await new Response(stream.pipeThrough(new CompressionStream('deflate-raw'))).bytes()
    return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
  }, script)
  await page.evaluate(hash => location.assign(hash), `#code=${packed}`)
  await page.getByText('From a link').waitFor()
}

// True if a person sees the element in its box, without scrolling.
const isShown = (element: Locator) =>
  element.evaluate(node => {
    const { top, bottom } = node.getBoundingClientRect()
    const box = node.closest('.box')?.getBoundingClientRect()
    return box !== undefined && top >= box.top && bottom <= box.bottom && bottom <= innerHeight
  })

test('the script of a function that somebody else removed is saved as a new one', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const id = await saveFunction('gone', 'exit(1)')
  await openFunction(page, id, 'gone')
  await write(page, 'Script', 'exit("mine")')
  await server.graphql('mutation($id: ID!) { removeFunction(id: $id) { id } }', { id })
  await page.keyboard.press('Control+s')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Comment').fill('as typed')
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').getByText('gone was removed meanwhile').waitFor()
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('gone')
  expect(await dialog.getByLabel('Comment').inputValue()).toBe('as typed')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved: this version is live').waitFor()
  expect(await textOf(page, 'Script')).toBe('exit("mine")')
  expect(faults).toEqual([])
  await page.context().close()
})

test('“Save mine” of a function that was removed during the question asks for a new one', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const id = await saveFunction('left', 'exit(1)')
  await openFunction(page, id, 'left')
  const long = '// the same\n'.repeat(200)
  await write(page, 'Script', `${long}exit("mine")`)
  await saveFunction('left', `${long}exit("theirs")`)
  await page.keyboard.press('Control+s')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Comment').fill('as typed')
  await page.keyboard.press('Enter')
  await dialog.getByText('Another version is live').waitFor()
  for (const [name, text] of Object.entries({ Yours: 'exit("mine")', Theirs: 'exit("theirs")' }))
    expect(await isShown(dialog.getByRole('region', { name }).getByText(text)), name).toBe(true)
  await page.setViewportSize({ width: 390, height: 700 })
  expect(await isInView(dialog.getByRole('button', { name: 'Save mine' }))).toBe(true)
  await server.graphql('mutation($id: ID!) { removeFunction(id: $id) { id } }', { id })
  await dialog.getByRole('button', { name: 'Save mine' }).click()
  await dialog.getByRole('alert').getByText('left was removed meanwhile').waitFor()
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('left')
  expect(await dialog.getByLabel('Comment').inputValue()).toBe('as typed')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved: this version is live').waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('Back from a link opens the function that the address names', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await openFunction(page, await saveFunction('before', 'exit("before")'), 'before')
  await openLink(page, 'exit("linked")')
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'before' }).waitFor()
  expect(await textOf(page, 'Script')).toBe('exit("before")')
  expect(faults).toEqual([])
  await page.context().close()
})

test('a link that is opened during a question about another script ends the question', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await openFunction(page, await saveFunction('asked', 'exit(1)'), 'asked')
  await write(page, 'Script', 'exit("mine")')
  await saveFunction('asked', 'exit("theirs")')
  await page.keyboard.press('Control+s')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Take theirs' }).waitFor()
  await openLink(page, 'exit("linked")')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await textOf(page, 'Script')).toBe('exit("linked")')
  expect(faults).toEqual([])
  await page.context().close()
})

test('a draft that another tab forgets is not called saved', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await write(page, 'Script', 'exit("open")')
  await page.getByText('Draft saved').waitFor()
  const other = await page.context().newPage()
  await enter(other, server.adminToken)
  await field(other, 'Script').waitFor()
  await other.getByRole('button', { name: 'Drafts' }).click()
  await other.getByRole('button', { name: 'Forget drafts' }).click()
  await page.getByText('Draft saved').waitFor({ state: 'detached' })
  await write(page, 'Script', 'exit("again")')
  await page.reload()
  await expect.poll(() => textOf(page, 'Script')).toBe('exit("again")')
  expect(faults).toEqual([])
  await page.context().close()
})
