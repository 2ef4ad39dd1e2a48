import { deflateRawSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { enter } from '../open-browser.ts'
import { field, openPlayground as openPlaygroundOf, textOf, write } from '../playground.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

const openPlayground = () => openPlaygroundOf(browser, server)
const script = (page: Page) => textOf(page, 'Script')
const openFragment = (page: Page, fragment: string) =>
  page.evaluate(hash => location.assign(hash), `#code=${fragment}`)
const pack = (fields: unknown) => deflateRawSync(JSON.stringify(fields)).toString('base64url')

test('a duplicated tab goes on with a copy, and each of the two keeps its own draft', async () => {
  const { page, faults } = await openPlayground()
  await write(page, 'Script', 'exit("both")')
  const opened = page.context().waitForEvent('page')
  // A window that a page opens begins with a copy of its `sessionStorage`, as a duplicated tab does.
  await page.evaluate(() => void window.open('/playground'))
  const copy = await opened
  await copy.getByText('Draft saved').waitFor()
  expect(await script(copy)).toBe('exit("both")')
  const keys = () => page.evaluate(() => Object.keys(localStorage).length)
  await expect.poll(keys).toBe(2)
  await write(copy, 'Script', 'exit("copy")')
  await write(page, 'Script', 'exit("first")')
  await Promise.all([copy.reload(), page.reload()])
  await expect.poll(() => script(page)).toBe('exit("first")')
  await expect.poll(() => script(copy)).toBe('exit("copy")')
  expect(faults).toEqual([])
  await page.context().close()
})

test('the name of a script that was typed before its first change is there after it, and after a reload', async () => {
  const { page, faults } = await openPlayground()
  const name = page.getByRole('dialog').getByLabel('Name')
  await page.keyboard.press('Control+S')
  await name.fill('total')
  await page.keyboard.press('Escape')
  await write(page, 'Script', 'exit("better")')
  await page.keyboard.press('Control+S')
  expect(await name.inputValue()).toBe('total')
  await page.reload()
  await expect.poll(() => script(page)).toBe('exit("better")')
  await page.keyboard.press('Control+S')
  expect(await name.inputValue()).toBe('total')
  expect(faults).toEqual([])
  await page.context().close()
})

test('signing in again as the same person shows the draft, and "Forget drafts" deletes all', async () => {
  const { page, faults } = await openPlayground()
  await write(page, 'Script', 'exit("mine")')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Token').fill(server.adminToken)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/playground')
  await expect.poll(() => script(page)).toBe('exit("mine")')

  for (const name of ['Refuse an input', 'Find a mistake']) {
    await page.getByRole('button', { name: 'Examples' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await page.getByRole('button', { name: 'Drafts' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'exit("mine")' }).waitFor()
  expect(await dialog.getByRole('listitem').count()).toBe(2)
  const textStarts = await dialog
    .getByRole('listitem')
    .evaluateAll(items =>
      items.map(
        item => (item.querySelector('code')?.getBoundingClientRect().x ?? 0) - item.getBoundingClientRect().x,
      ),
    )
  expect(Math.max(...textStarts)).toBeLessThan(20)
  await dialog.getByRole('button', { name: 'Forget drafts' }).click()
  await dialog.getByText('No drafts').waitFor()
  await page.keyboard.press('Escape')
  expect(await page.evaluate(() => localStorage.length)).toBe(0)
  await page.reload()
  await field(page, 'Script').waitFor()
  expect(await page.evaluate(() => localStorage.length)).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('one draft is forgotten with its button, and what was forgotten comes back with "Undo"', async () => {
  const { page, faults } = await openPlayground()
  await write(page, 'Script', 'exit("mine")')
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem', { name: 'Find a mistake' }).click()
  await write(page, 'Script', 'exit("other")')
  await page.getByText('Draft saved').waitFor()
  const stored = () => page.evaluate(() => Object.values(localStorage).sort())
  const before = await stored()
  expect(before.length).toBe(2)
  await page.getByRole('button', { name: 'Drafts' }).click()
  const dialog = page.getByRole('dialog')
  const forget = dialog.getByRole('button', { name: 'Forget', exact: true })
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())

  await forget.nth(1).click()
  await dialog.getByText('One draft forgotten').waitFor()
  expect((await stored()).length).toBe(1)
  expect([await forget.count(), await focused()]).toEqual([1, 'Forget'])
  await page.keyboard.press('Enter')
  await dialog.getByText('2 drafts forgotten').waitFor()
  expect([await stored(), await focused()]).toEqual([[], 'Close'])

  await dialog.getByRole('button', { name: 'Undo' }).click()
  await forget.nth(1).waitFor()
  expect([await stored(), await focused()]).toEqual([before, 'Close'])
  expect(await dialog.getByText('forgotten').count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('End')
  await page.reload()
  await expect.poll(() => script(page)).toBe('exit("other")')
  expect(faults).toEqual([])
  await page.context().close()
})

test('"Undo" brings back what the dialog forgot last, as it was then', async () => {
  const { page, faults } = await openPlayground()
  await write(page, 'Script', 'exit("of this tab")')
  await page.getByText('Draft saved').waitFor()
  const other = await page.context().newPage()
  await enter(other, server.adminToken)
  await write(other, 'Script', 'exit("of the other")')
  await other.getByText('Draft saved').waitFor()
  const stored = () => page.evaluate(() => Object.values(localStorage).map(text => JSON.parse(text).script))
  const dialog = page.getByRole('dialog')
  const item = (text: string) => dialog.getByRole('listitem').filter({ hasText: text })
  const forget = (text: string) => item(text).getByRole('button', { name: 'Forget', exact: true }).click()
  const openDialog = () => page.getByRole('button', { name: 'Drafts' }).click()

  await openDialog()
  await forget('of this tab')
  await dialog.getByText('One draft forgotten').waitFor()
  await page.keyboard.press('Escape')
  await openDialog()
  await write(other, 'Script', 'exit("newest of the other")')
  await expect.poll(stored).toEqual(['exit("newest of the other")'])
  await forget('of the other')
  await expect.poll(stored).toEqual([])
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(stored).toEqual(['exit("newest of the other")'])
  expect(faults).toEqual([])
  await page.context().close()
})

test('a draft that another version of the page stored is opened with what it has, and can be forgotten', async () => {
  const { page, faults } = await openPlayground()
  await write(page, 'Script', 'exit("kept")')
  await page.getByText('Draft saved').waitFor()
  const store = (change: object) =>
    page.evaluate(other => {
      const [key = ''] = Object.keys(localStorage).filter(name => name.startsWith('rostrum.draft.'))
      const { id, owner, script } = JSON.parse(localStorage.getItem(key) ?? '{}')
      addEventListener('pagehide', () =>
        localStorage.setItem(key, JSON.stringify({ id, owner, script, ...other })),
      )
    }, change)
  for (const [change, shown] of [
    [{ input: '{"a": 1}', cursor: -1 }, 'exit("kept")'],
    [{ script: null, options: 5, at: 'today' }, ''],
  ] as const) {
    await store(change)
    await page.reload()
    await page.getByText('Draft saved').waitFor()
    expect([await script(page), await textOf(page, 'Options')]).toEqual([shown, '{}'])
    expect(await page.getByRole('alert').count()).toBe(0)
  }
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Forget drafts' }).click()
  await page.getByRole('dialog').getByText('No drafts').waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('a damaged, an oversized and a swelling link say so, and the draft stays', async () => {
  const { page, faults } = await openPlayground()
  await write(page, 'Script', 'exit("kept")')
  const bomb = pack({ script: 'x'.repeat(5_000_000) })
  expect(bomb.length).toBeLessThan(8_000)
  const links = [
    ['%%%', 'damaged'],
    [pack({ script: 'exit(1)' }).slice(0, -4), 'damaged'],
    [pack({ script: 1 }), 'damaged'],
    [pack('text'), 'damaged'],
    ['A'.repeat(8_200), 'too large'],
    [bomb, 'too large'],
  ] as const
  for (const [fragment, words] of links) {
    await openFragment(page, fragment)
    await page.getByRole('alert').filter({ hasText: words }).waitFor()
    expect(await script(page)).toBe('exit("kept")')
    await openFragment(page, pack({ script: 'exit("kept")' }))
    await page.getByRole('status').filter({ hasText: 'From a link' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  }
  await openFragment(page, pack({ script: 'exit("linked")', input: '[1]' }))
  await expect.poll(() => script(page)).toBe('exit("linked")')
  expect([await textOf(page, 'Input'), await textOf(page, 'Options')]).toEqual(['[1]', '{}'])
  expect(faults).toEqual([])
  await page.context().close()
})

test('"Link" copies what its field shows', async () => {
  const { page, faults } = await openPlayground()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Link' }).click()
  await page.getByRole('status').filter({ hasText: 'Link copied' }).waitFor()
  const shown = await page.getByLabel('Link', { exact: true }).inputValue()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown)
  expect(faults).toEqual([])
  await page.context().close()
})

test('"Take theirs" opens the live version, and "Cancel" changes nothing', async () => {
  const { page, faults } = await openPlayground()
  const name = 'taken'
  const save = (text: string) =>
    server.graphql<{ saveFunction: { id: string } }>(
      `mutation { saveFunction(input: { name: "${name}", sourceCode: "${text}" }) { id } }`,
    )
  const { body } = await save('exit(1)')
  await page.goto(`/playground?function=${body.data?.saveFunction.id}`)
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await save('exit(2)')
  await write(page, 'Script', 'exit(3)')
  const dialog = page.getByRole('dialog')
  for (const choice of ['Cancel', 'Take theirs']) {
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Another version is live').waitFor()
    await dialog.getByRole('button', { name: choice }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await script(page)).toBe(choice === 'Cancel' ? 'exit(3)' : 'exit(2)')
  }
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved: this version is live').waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('the result of the script before does not stand beside a link that was opened', async () => {
  const { page, faults } = await openPlayground()
  await write(page, 'Script', 'exit({ deleted: "all" })')
  await page.keyboard.press('Control+Enter')
  const ended = page.getByRole('status').filter({ hasText: /exit/ })
  await ended.waitFor()
  expect(await page.getByRole('tabpanel').innerText()).toContain('deleted')
  await openFragment(page, pack({ script: 'exit(1)' }))
  await page.getByText('From a link').waitFor()
  await ended.waitFor({ state: 'detached' })
  expect(await page.getByRole('tabpanel').innerText()).not.toContain('deleted')
  expect(faults).toEqual([])
  await page.context().close()
})

test('the cursor is in view after a long text was inserted, and after a reload', async () => {
  const { page } = await openPlayground()
  const lines = Array.from({ length: 200 }, (_, index) => `// ${index + 1}`)
  await write(page, 'Script', lines.join('\n'))
  const isLastInView = () =>
    field(page, 'Script').evaluate(node => {
      const last = [...node.querySelectorAll('.cm-line')].find(line => line.textContent === '// 200')
      const [box, place] = [node.closest('.cm-scroller'), last].map(each => each?.getBoundingClientRect())
      return box !== undefined && place !== undefined && place.top >= box.top && place.bottom <= box.bottom
    })
  await expect.poll(isLastInView).toBe(true)
  await page.getByText('Draft saved').waitFor()
  await page.reload()
  await page.getByText('Ln 200').waitFor()
  await expect.poll(isLastInView).toBe(true)
  await page.context().close()
})
