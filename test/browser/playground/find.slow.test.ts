import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findBarriers } from '../open-browser.ts'
import { field, openPlayground, write } from '../playground.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

const script = `${Array.from({ length: 3_000 }, (_, index) => `log("row ${index}", total)`).join('\n')}\nexit(total)`

// The whole text: the editor draws only some lines.
const wholeScript = (page: Page) =>
  page.locator('code-editor[label="Script"]').evaluate(editor => ('text' in editor ? editor.text : null))

test('Ctrl+F finds what the editor has not drawn, replaces it, and Escape goes back to the text', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await write(page, 'Script', script)
  await field(page, 'Script').press('Control+Home')
  await page.keyboard.press('Control+F')
  await page.keyboard.type('row 2907')
  await page.keyboard.press('Enter')
  await page.getByText('Ln 2908, Col 14').waitFor()
  await page.locator('.cm-line').getByText('log("row 2907", total)').waitFor()
  expect(await findBarriers(page)).toEqual([])

  await page.getByLabel('Find', { exact: true }).fill('total')
  await page.getByLabel('Replace', { exact: true }).fill('sum')
  await page.getByRole('button', { name: 'Replace all' }).click()
  await page.keyboard.press('Escape')
  expect(await page.getByLabel('Find', { exact: true }).count()).toBe(0)
  expect(await wholeScript(page)).toBe(script.replaceAll('total', 'sum'))
  expect(await field(page, 'Script').evaluate(own => own.matches(':focus'))).toBe(true)
  await page.keyboard.press('Control+Z')
  expect(await wholeScript(page)).toBe(script)
  await page.keyboard.press('Control+F')
  await field(page, 'Script').click()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Escape')
  expect(await page.getByLabel('Find', { exact: true }).count()).toBe(0)
  await page.keyboard.press('Tab')
  expect(await field(page, 'Script').evaluate(own => own.matches(':focus'))).toBe(false)
  expect(faults).toEqual([])
  await page.context().close()
})

test('all of the search is in sight where the editor is high enough, and a line can be gone to', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await write(page, 'Script', script)
  await page.keyboard.press('Control+F')
  const panel = page.locator('code-editor[label="Script"] .cm-panels-top')
  for (const width of [1_280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    // The editor measures itself again after the window has its new size.
    await expect.poll(() => panel.evaluate(own => own.scrollHeight - own.clientHeight)).toBe(0)
  }
  await page.keyboard.press('Escape')
  await field(page, 'Script').press('Control+Alt+G')
  await page.getByLabel('Go to line').fill('2908')
  expect(await page.getByRole('button', { name: 'Close', exact: true }).count()).toBe(1)
  await page.keyboard.press('Enter')
  await page.getByText('Ln 2908, Col 1').waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('a low editor shows its text below the search', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await write(page, 'Options', '{"params": {"total": 1}}')
  await field(page, 'Options').press('Control+F')
  await page.getByLabel('Find', { exact: true }).waitFor()
  const options = page.locator('code-editor[label="Options"]')
  const { height } = (await options.boundingBox()) ?? { height: 0 }
  const scroller = await options.locator('.cm-scroller').boundingBox()
  expect(scroller?.height).toBeGreaterThanOrEqual(0.35 * height)
  expect(faults).toEqual([])
  await page.context().close()
})

test('the search of an editor does not cover the buttons of a low and narrow screen', async () => {
  const { page, faults } = await openPlayground(browser, server)
  await page.setViewportSize({ width: 390, height: 300 })
  await field(page, 'Script').press('Control+F')
  await page.getByLabel('Find', { exact: true }).waitFor()
  const covered = await page.evaluate(() => {
    scrollTo(0, 0)
    const bar = document.querySelector('.run-bar')
    const { top, bottom, right } = bar?.getBoundingClientRect() ?? { top: 0, bottom: 0, right: 0 }
    const middle = (top + bottom) / 2
    return [20, 60, 100, 140, right - 40].filter(x => !bar?.contains(document.elementFromPoint(x, middle)))
  })
  expect(covered).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})
