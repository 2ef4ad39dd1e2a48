import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { field } from '../playground.ts'
import { close, startBrowsing } from '../start-browsing.ts'

const { server, open } = await startBrowsing()

/** Presses a key some times. Returns what had the focus while the bar covered a part of it. */
async function findCovered(page: Page, key: string, bar: string): Promise<string[]> {
  const covered = new Set<string>()
  for (let count = 0; count < 40; count++) {
    await page.keyboard.press(key)
    const name = await page.evaluate(selector => {
      const focused = document.activeElement
      const bounds = document.querySelector(selector)?.getBoundingClientRect()
      if (focused === null || bounds === undefined || !focused.matches('a, button, input')) return ''
      const { top, bottom } = focused.getBoundingClientRect()
      const isCovered = top < bounds.bottom && bottom > bounds.top && focused.closest(selector) === null
      return isCovered ? focused.textContent : ''
    }, bar)
    if (name !== '') covered.add(name)
  }
  return [...covered]
}

test('what gets the focus on the way up is not under the words that stay in view', async () => {
  for (let userId = 1; userId <= 12; userId++)
    await server.graphql(`mutation { addTeamMembership(input: { userId: ${userId}, teamId: 940 }) { id } }`)
  const tab = await open('/members?team=940')
  const { page } = tab
  const rows = page.getByRole('list', { name: 'Members' }).getByRole('listitem')
  await rows.nth(10).getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Removed user 11').waitFor()
  await expect.poll(() => rows.count()).toBe(11)
  for (const width of [1_280, 390]) {
    await page.setViewportSize({ width, height: 450 })
    for (const key of ['k', 'Shift+Tab']) {
      await rows.last().getByRole('link').focus()
      expect(await findCovered(page, key, '.notice')).toEqual([])
    }
  }
  await close(tab)
})

test('in a low window, neither what has the focus nor the cursor is under the bar with “Run”', async () => {
  const tab = await open('/playground', { hasTypes: false, viewport: { width: 320, height: 256 } })
  const { page } = tab
  await page.getByRole('link', { name: 'Rostrum' }).focus()
  expect(await findCovered(page, 'Tab', '.run-bar')).toEqual([])
  await field(page, 'Script').focus()
  for (const [width, height] of [
    [640, 450],
    [844, 390],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (let count = 0; count < 15; count++) await page.keyboard.press('Enter')
    const bar = await page.locator('.run-bar').boundingBox()
    const cursor = await page.locator('.script .cm-cursor-primary').boundingBox()
    expect((cursor?.y ?? 0) + (cursor?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
  }
  await close(tab)
})

test('in a low window, the error of a dialog comes into view below its fields, after Enter in any field', async () => {
  const { body } = await server.graphql<{ saveFunction: { id: string } }>(
    'mutation { saveFunction(input: { name: "low", sourceCode: "exit(1)" }) { id } }',
  )
  const asked = {
    '/cases': { button: 'New case', name: 'Case type' },
    [`/functions/${body.data?.saveFunction.id}`]: { button: 'Add webhook', name: 'Name' },
    '/playground': { button: 'Save', name: 'Name' },
  }
  for (const [path, { button, name }] of Object.entries(asked)) {
    const tab = await open(path, { hasTypes: false, viewport: { width: 320, height: 400 } })
    const { page } = tab
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('dialog').getByLabel(name).fill('no name!')
    await page.keyboard.press('Enter')
    const alert = page.getByRole('dialog').getByRole('alert')
    await alert.waitFor()
    const gap = await alert.evaluate(shown => {
      const above = shown.previousElementSibling?.getBoundingClientRect().bottom ?? 0
      return shown.getBoundingClientRect().top - above
    })
    expect(gap, path).toBeGreaterThanOrEqual(8)
    const dialog = await page.getByRole('dialog').boundingBox()
    const bottom = (dialog?.y ?? 0) + (dialog?.height ?? 0)
    const bottomOfAlert = async () => {
      const box = await alert.boundingBox()
      return (box?.y ?? 0) + (box?.height ?? 0)
    }
    await expect.poll(bottomOfAlert, { message: path }).toBeLessThanOrEqual(bottom)
    await close(tab)
  }
})
