import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { close, startBrowsing } from './start-browsing.ts'

const { server, open } = await startBrowsing()

async function createCase(): Promise<number> {
  const { body } = await server.rest<{ case: { id: number } }>('POST', '/platform/cases', {
    body: { case: { case_type_code: 'keys', data: { total: 1 } } },
  })
  return body.case.id
}

const ctrl = 2

// Presses the key of a layout that Playwright does not know.
async function press(page: Page, key: string, code: string, modifiers = 0): Promise<void> {
  const session = await page.context().newCDPSession(page)
  for (const type of ['rawKeyDown', 'keyUp'] as const)
    await session.send('Input.dispatchKeyEvent', { type, key, code, modifiers })
}

test.each(['ы', 'س'])('Ctrl and the key of S saves on a layout where it types %s', async key => {
  const tab = await open(`/cases/${await createCase()}`)
  const { page } = tab
  await page.getByRole('textbox', { name: 'Data' }).fill('{"total":2}')
  await press(page, key, 'KeyS', ctrl)
  await page.getByText('Saved as version 2.').waitFor()
  await page.goto('/playground')
  await page.getByText('Types ready').waitFor()
  await press(page, key, 'KeyS', ctrl)
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  await close(tab)
})

test('single keys work on a layout without Latin letters', async () => {
  const id = await createCase()
  const tab = await open('/cases')
  const { page } = tab
  const row = page.getByRole('link', { name: `Case ${id}`, exact: true })
  await row.waitFor()
  await press(page, 'о', 'KeyJ')
  expect(await row.evaluate(element => element === document.activeElement)).toBe(true)
  await press(page, 'п', 'KeyG')
  await press(page, 'ь', 'KeyM')
  await page.waitForURL('**/members')
  await close(tab)
})

interface Held {
  readonly modifierCapsLock?: boolean
  readonly isComposing?: boolean
}

// Sends the key to what has the focus, as a browser does with Caps Lock on or while an input method composes.
async function send(page: Page, key: string, code: string, how: Held): Promise<void> {
  const element = await page.evaluateHandle(() => {
    let focused = document.activeElement ?? document.body
    while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement
    return focused
  })
  await element.evaluate((target, init) => void target.dispatchEvent(new KeyboardEvent('keydown', init)), {
    ...how,
    key,
    code,
    bubbles: true,
    cancelable: true,
    composed: true,
  })
}

test('single keys work with Caps Lock on', async () => {
  const id = await createCase()
  const tab = await open('/cases')
  const { page } = tab
  const row = page.getByRole('link', { name: `Case ${id}`, exact: true })
  await row.waitFor()
  const caps = { modifierCapsLock: true }
  await send(page, 'J', 'KeyJ', caps)
  expect(await row.evaluate(element => element === document.activeElement)).toBe(true)
  await send(page, 'G', 'KeyG', caps)
  await send(page, 'M', 'KeyM', caps)
  await page.waitForURL('**/members')
  await close(tab)
})

test('a key that ends the composition of an input method leaves no field and stops no run', async () => {
  const tab = await open('/docs', { hasTypes: false })
  const { page } = tab
  const field = page.getByRole('searchbox', { name: 'Search' })
  await field.fill('members')
  await page.locator('.docs-results a').first().waitFor()
  const composing = { isComposing: true }
  await send(page, 'Enter', 'Enter', composing)
  await send(page, 'Escape', 'Escape', composing)
  expect(await field.evaluate(element => element === document.activeElement)).toBe(true)
  expect(await field.inputValue()).toBe('members')

  await page.goto('/playground')
  await page.getByRole('textbox', { name: 'Script' }).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText("await graphql('{ viewer { userId } }'); while (true) {}")
  await page.keyboard.press('Control+Enter')
  await page.getByRole('status').getByText('running').waitFor()
  await send(page, 'Escape', 'Escape', composing)
  await page.getByRole('status').getByText('error TIMEOUT').waitFor()
  await close(tab)
})

test('Escape that is held closes the dialog of keys, and leaves no page', async () => {
  const path = `/cases/${await createCase()}`
  const tab = await open(path)
  const { page } = tab
  await page.getByRole('textbox', { name: 'Data' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.down('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.down('Escape')
  await page.keyboard.up('Escape')
  await page.getByRole('textbox', { name: 'Data' }).fill('{}')
  expect(new URL(page.url()).pathname).toBe(path)
  await close(tab)
})

test('times go on in an open page, and exact ones are in English with their zone in any browser', async () => {
  const { body } = await server.execute({ name: 'old', sourceCode: 'log(1); exit(1)' })
  const tab = await open('/runs/none', { timezoneId: 'Asia/Kolkata', locale: 'ar-EG' })
  const { page } = tab
  await page.clock.install()
  await page.goto(`/runs/${body.task_execution.id}`)
  const started = page.locator('dt', { hasText: 'Started' }).locator('xpath=..')
  await started.getByText(/\d \w{3,4} \d{4}, \d\d:\d\d:\d\d GMT\+5:30/).waitFor()
  expect(await page.locator('.entry').getAttribute('data-time')).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/)
  await page.clock.fastForward('14:00:00')
  await started.getByText('14 hr ago').waitFor()

  await page.goto(`/cases/${await createCase()}`)
  await page.getByRole('table', { name: 'History' }).getByText('GMT+5:30').waitFor()
  await close(tab)
})

test.each([
  [0.5, 'just now'],
  [10, /^in (9|10) min$/],
  [90, 'in 1 hr'],
  [1_500, /^\d{1,2} \w{3,4} \d{4}$/],
])('by a clock that is %d minutes slow, what has just happened is said as %s', async (minutes, said) => {
  const { body } = await server.execute({ name: 'ahead', sourceCode: 'exit(1)' })
  const tab = await open('/runs/none')
  const { page } = tab
  await page.clock.setSystemTime(Date.now() - minutes * 60_000)
  await page.goto(`/runs/${body.task_execution.id}`)
  const started = page.locator('dt', { hasText: 'Started' }).locator('xpath=..')
  await started.locator('time.ago').getByText(said).waitFor()
  await close(tab)
})
