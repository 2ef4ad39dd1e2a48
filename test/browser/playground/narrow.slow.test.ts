import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findBarriers } from '../open-browser.ts'
import { field, openPlayground, openTypedPlayground, textOf, write } from '../playground.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

const tab = (page: Page, name: string) => page.getByRole('tab', { name })
const status = (page: Page, text: RegExp) => page.getByRole('status').filter({ hasText: text })

test('the menu of examples stays on a narrow page, also beside a notice', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await page.setViewportSize({ width: 390, height: 844 })
  for (const times of [1, 2]) {
    await page.getByRole('button', { name: 'Examples' }).click()
    const box = await page.getByRole('menu').boundingBox()
    expect(box?.x, `opened ${times} times`).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 390)).toBeLessThanOrEqual(390)
    await page.getByRole('menuitem').first().click()
    await page.getByText('Example: ').waitFor()
  }
  expect(await findBarriers(page)).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})

test('a narrow page shows one pane at a time, keeps Run in view, and shows what a click on it brings', async () => {
  const { page, faults } = await openTypedPlayground(browser, server)
  await page.setViewportSize({ width: 390, height: 844 })
  const run = page.getByRole('button', { name: 'Run' })
  await write(
    page,
    'Script',
    `log('seen')\nexit({ ...payload, total: payload.total * 2 }) // ${'long '.repeat(60)}`,
  )
  expect(await field(page, 'Input').count()).toBe(0)
  await tab(page, 'Input').click()
  await write(page, 'Input', '{"total": 3}')
  expect(await findBarriers(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await run.click()
  await status(page, /exit/).waitFor()
  expect(await tab(page, 'Result').getAttribute('aria-selected')).toBe('true')
  await page.getByRole('tabpanel').getByText('"total": 6').waitFor()
  for (const [name, text] of Object.entries({ Difference: '/total 3 → 6', Logs: 'seen' })) {
    await tab(page, name).click()
    await expect.poll(() => page.getByRole('tabpanel').innerText()).toContain(text)
  }
  await tab(page, 'Script').click()
  const script = await textOf(page, 'Script')
  expect(script).toContain('seen')
  await page.emulateMedia({ media: 'print' })
  expect(
    await page.locator('.input, .outcome').evaluateAll(all => all.map(own => own.checkVisibility())),
  ).toEqual([true, true])
  expect(await page.locator('.run-bar').evaluate(own => getComputedStyle(own).position)).toBe('static')
  await page.emulateMedia({ media: null })
  const printed = page.evaluate(() => {
    const { promise, resolve } = Promise.withResolvers<unknown[]>()
    const read = ({ shadowRoot }: Element) => shadowRoot?.querySelector('pre')?.textContent
    addEventListener('beforeprint', () => resolve([...document.querySelectorAll('code-editor')].map(read)))
    return promise
  })
  await page.pdf()
  expect(await printed).toEqual([script, '{"total": 3}', '{}'])
  const box = await run.boundingBox()
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844)
  await field(page, 'Script').click()
  await page.keyboard.press('Control+Enter')
  await status(page, /exit/).waitFor()
  expect(await field(page, 'Script').evaluate(own => own.matches(':focus'))).toBe(true)
  await page.keyboard.press('Alt+3')
  await page.getByRole('tabpanel').getByText('seen').waitFor()
  await expect.poll(() => tab(page, 'Logs').evaluate(own => own.matches(':focus'))).toBe(true)
  await page.keyboard.press('ArrowLeft')
  expect(await tab(page, 'Difference').evaluate(own => own.matches(':focus'))).toBe(true)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a window that becomes narrow or wide, as by a zoom, keeps the focus', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const hasFocus = (element: Locator) =>
    expect.poll(() => element.evaluate(own => own.matches(':focus'))).toBe(true)
  const [narrow, wide] = [
    { width: 640, height: 400 },
    { width: 1_280, height: 800 },
  ]
  await page.getByRole('button', { name: 'Run' }).press('Enter')
  await status(page, /exit/).waitFor()
  for (const element of [
    tab(page, 'Logs'),
    page.getByRole('button', { name: 'Run' }),
    page.getByRole('link', { name: 'exit' }),
  ]) {
    await tab(page, 'Logs').click()
    await element.focus()
    for (const size of [narrow, wide]) {
      await page.setViewportSize(size)
      await hasFocus(element)
    }
  }
  await page.setViewportSize(narrow)
  await tab(page, 'Script').click()
  await page.setViewportSize(wide)
  await hasFocus(tab(page, 'Logs'))
  expect(faults).toEqual([])
  await page.context().close()
})

test('text that is no JSON is said at its place, and nothing is sent', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const posted: string[] = []
  page.on('request', request => void posted.push(new URL(request.url()).pathname))
  const refused: readonly (readonly [string, string, string])[] = [
    ['Input', '{"a": 1,\n  nope}', 'Ln 2, Col 3'],
    ['Input', '', 'Ln 1, Col 1'],
    ['Options', '{"a": [1, 2', 'Ln 1, Col 12'],
  ]
  for (const [name, text, place] of refused) {
    await write(page, name, text)
    await page.getByRole('button', { name: `${place}: not valid JSON` }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page
      .getByRole('alert')
      .filter({ hasText: `${name} is not valid JSON at ${place}` })
      .waitFor()
    expect(await status(page, /not run/).count()).toBe(1)
    await write(page, name, '{}')
    await page.getByRole('alert').waitFor({ state: 'detached' })
  }
  expect(posted.filter(path => path.startsWith('/api/'))).toEqual([])
  await page.keyboard.press('Control+Enter')
  await status(page, /error|exit/).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})
