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
