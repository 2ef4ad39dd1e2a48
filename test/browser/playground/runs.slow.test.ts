import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findBarriers } from '../open-browser.ts'
import { field, openPlayground, openTypedPlayground, textOf, write } from '../playground.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

const status = (page: Page, text: RegExp) => page.getByRole('status').filter({ hasText: text })
const panel = (page: Page) => page.getByRole('tabpanel')
const openTabOf = (page: Page, name: string) => page.getByRole('tab', { name }).click()

async function run(page: Page, script: string, input = '{}'): Promise<void> {
  await write(page, 'Input', input)
  await write(page, 'Script', script)
  await page.keyboard.press('Control+Enter')
}

test('values of a log stand in their order in every script, and what is invisible is marked', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const values = '{ admin: "\u05e2\u05e8\u05da", b: 2 }'
  await run(
    page,
    `log("\u05e9\u05dc\u05d5\u05dd", ${values})\nlog("x\\u202e", { user: "\\u202enimda" })\nexit(1)`,
  )
  await status(page, /exit/).waitFor()
  await openTabOf(page, 'Logs')
  const entries = panel(page).getByRole('listitem')
  await expect.poll(() => entries.count()).toBe(2)
  const parts = entries.first().locator(':scope > bdi')
  const places = await parts.evaluateAll(all => all.map(part => part.getBoundingClientRect().x))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(await parts.allInnerTexts()).toEqual([
    '\u05e9\u05dc\u05d5\u05dd',
    '{"admin":"\u05e2\u05e8\u05da","b":2}',
  ])
  expect(await entries.last().innerText()).toContain('xU+202E {"user":"U+202Enimda"}')
  // Marks and values of an entry are limited together.
  await run(page, 'log(...Array(1_000).fill("\\u05d0a\\u200b".repeat(10)), "the last"); exit(1)')
  await expect.poll(() => entries.count()).toBe(1)
  expect(await entries.innerText()).toContain('the last')
  expect(await entries.locator('bdi').count()).toBeLessThan(1_000)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a run shows its result, what it changed, its logs, its calls and the whole answer', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const script = `log('two\\nlines', { a: 1 })
const { data } = await graphql('{ viewer { accountCode } }')
exit({ ...payload, total: payload.total * 2, 'a/b': '<b>&amp;' })`
  await run(page, script, '{"total": 3, "same": [1]}')
  await status(page, /^\s*exit [\d.]+ m?s\s*$/).waitFor()
  expect(await field(page, 'Script').evaluate(own => own.matches(':focus'))).toBe(true)
  expect(await panel(page).innerText()).toContain('"a/b": "<b>&amp;"')
  const views = {
    Difference: ['/total 3 → 6', '/a~1b nothing → "<b>&amp;"'],
    Logs: ['info two\nlines {"a":1}'],
    Calls: ['viewer'],
    Raw: ['"txnID"'],
  }
  for (const [index, [name, texts]] of Object.entries(views).entries()) {
    await page.keyboard.press(`Alt+${index + 2}`)
    expect(await page.getByRole('tab', { name }).getAttribute('aria-selected')).toBe('true')
    for (const text of texts) await expect.poll(() => panel(page).innerText()).toContain(text)
    expect(await findBarriers(page)).toEqual([])
  }
  await openTabOf(page, 'Difference')
  expect(await panel(page).getByRole('listitem').count()).toBe(2)
  await openTabOf(page, 'Calls')
  expect(await panel(page).getByRole('listitem').innerText()).toMatch(/viewer\s+[\d.]+ m?s/)
  await openTabOf(page, 'Result')
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('link', { name: /^exit [\d.]+ m?s$/ }).click()
  await page.waitForURL('**/runs/*')
  await page.getByRole('heading', { level: 1, name: 'playground' }).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('`fail` and errors say so, and the error’s place is a problem until the next edit', async () => {
  const { page, faults } = await openTypedPlayground(browser, server)
  await run(page, 'fail("nobody is there")')
  await status(page, /fail [\d.]+ m?s/).waitFor()
  expect(await panel(page).innerText()).toContain('nobody is there')
  await page.getByText('Types ready').waitFor()
  await run(page, 'const a = {}\nexit(a.b.c)')
  await status(page, /error RUNTIME [\d.]+ m?s/).waitFor()
  expect(await panel(page).innerText()).toMatch(/RUNTIME at Ln 2, Col \d+/)
  const problems = page.getByRole('list', { name: 'Problems' }).getByRole('listitem')
  await problems.filter({ hasText: /Ln 2, Col \d+ RUNTIME/ }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.type(' ')
  expect(await problems.filter({ hasText: 'RUNTIME' }).count()).toBe(0)

  await run(page, 'exit(1)', 'no JSON')
  await page.getByRole('alert').filter({ hasText: 'Input is not valid JSON at Ln 1, Col 1' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})

test('each example ends as its first line says', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await page.getByRole('button', { name: 'Examples' }).click()
  const count = await page.getByRole('menuitem').count()
  await page.keyboard.press('Escape')
  for (let index = 0; index < count; index++) {
    await page.getByRole('button', { name: 'Examples' }).click()
    await page.getByRole('menuitem').nth(index).click()
    const [, ending = ''] = /^\/\/ (exit|fail|error [A-Z]+)/.exec(await textOf(page, 'Script')) ?? []
    await page.getByRole('button', { name: 'Run', exact: false }).first().click()
    await status(page, new RegExp(`^\\s*${ending} [\\d.]+ m?s`)).waitFor()
  }
  expect(faults).toEqual([])
  await page.context().close()
})

test('a large result is shown in part and says so, and so does a long log', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await run(page, "log('x'.repeat(100_000)); exit('y'.repeat(1_900_000))")
  await status(page, /exit/).waitFor()
  await panel(page).getByText('truncated: 64 KB of 1.8 MB').waitFor()
  expect((await panel(page).innerText()).length).toBeLessThan(70_000)
  for (const [name, text] of Object.entries({
    Difference: 'truncated',
    Logs: 'truncated: 64 KB of 98 KB',
    Raw: '64 KB',
  })) {
    await openTabOf(page, name)
    await panel(page).getByText(text).first().waitFor()
  }
  await run(page, 'for (let i = 0; i < 1_200; i++) log(i); exit(1)')
  await status(page, /exit/).waitFor()
  await openTabOf(page, 'Logs')
  await panel(page).getByText('truncated: The log was cut').waitFor()
  await run(page, 'log("The log was cut by a cat"); exit(1)')
  await status(page, /exit/).waitFor()
  expect(await panel(page).innerText()).toMatch(/The log was cut by a cat/)
  expect(await panel(page).getByText('truncated').count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('"Copy" copies all of a result of which a part is shown, as text, and of the log', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copied = async (name: string) => {
    await page.getByRole('button', { name: `Copy ${name}` }).click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  expect(await page.getByRole('button', { name: 'Copy Result' }).count()).toBe(0)
  await run(page, "log('a', { b: 1 }); log('x'.repeat(100_000)); exit('y'.repeat(1_000_000))")
  await status(page, /exit/).waitFor()
  expect(await copied('Result')).toBe(JSON.stringify('y'.repeat(1_000_000)))
  expect(await findBarriers(page)).toEqual([])
  await openTabOf(page, 'Logs')
  expect(await copied('Logs')).toBe(`info a {"b":1}\ninfo ${'x'.repeat(100_000)}`)
  await openTabOf(page, 'Raw')
  expect(JSON.parse(await copied('Raw'))).toMatchObject({ outcome: 'exit', error: null })
  await run(page, "fail('<b>No</b>\\nowner')")
  await status(page, /fail/).waitFor()
  await openTabOf(page, 'Result')
  expect(await copied('Result')).toBe('<b>No</b>\nowner')
  expect(faults).toEqual([])
  await page.context().close()
})
