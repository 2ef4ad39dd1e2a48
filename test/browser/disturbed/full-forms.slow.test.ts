import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { stay } from '../open-browser.ts'
import { close, startBrowsing } from '../start-browsing.ts'

const { open } = await startBrowsing()

/** Leaves no room in the `sessionStorage` of the page. */
const fill = (page: Page) =>
  page.evaluate(() => {
    for (let length = 4_000_000, count = 0; length >= 1; count++)
      try {
        sessionStorage.setItem(`other.${count}`, 'x'.repeat(length))
      } catch {
        length = Math.floor(length / 2)
      }
  })

test('the browser asks before it leaves a form for which it has no room', async () => {
  const tab = await open('/cases')
  const { page } = tab
  await fill(page)
  await page.getByRole('button', { name: 'New case' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Case type').fill('typed')
  await page.keyboard.press('Escape')
  expect(await stay(page)).toBe('beforeunload')
  await page.getByRole('button', { name: 'New case' }).click()
  expect(await dialog.getByLabel('Case type').inputValue()).toBe('typed')

  await dialog.getByRole('button', { name: 'Cancel' }).click()
  let questions = 0
  page.on('dialog', question => {
    questions++
    return question.accept()
  })
  await page.getByRole('link', { name: 'Runs' }).click()
  await page.waitForURL('**/runs')
  expect(questions).toBe(0)
  await close(tab)
})

test('a form that had no room is kept once there is some, and is left without a question', async () => {
  const tab = await open('/members?team=950')
  const { page } = tab
  await fill(page)
  const field = page.getByLabel('Add user')
  await field.fill('7')
  expect(await stay(page)).toBe('beforeunload')
  await page.evaluate(() => {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith('other.')) sessionStorage.removeItem(key)
  })
  await field.fill('78')
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('78')
  await close(tab)
})
