import { expect, test } from 'vitest'
import { close, startBrowsing } from '../start-browsing.ts'

const { server, open } = await startBrowsing()

// A mutation can make ten at most, by its cost.
async function createTen(): Promise<void> {
  const fields = Array.from({ length: 10 }, (_field, index) => {
    return `case${index}: saveCase(input: { caseTypeCode: "many", data: {} }) { saved }`
  })
  const { body } = await server.graphql(`mutation { ${fields.join(' ')} }`)
  expect(body.errors).toBeUndefined()
}

test('Escape on a case goes back to its row, also far down a long list', async () => {
  for (let made = 0; made < 2_600; made += 100) await Promise.all(Array.from({ length: 10 }, createTen))
  const tab = await open('/cases')
  const { page } = tab
  const rows = page.locator('a[data-row]')
  for (let loaded = 100; loaded < 2_500; loaded += 100) {
    await expect.poll(() => rows.count()).toBe(loaded)
    await page.getByRole('button', { name: 'Load more' }).click()
  }
  const row = rows.nth(2_450)
  const name = await row.innerText()
  await row.click()
  await page.getByRole('textbox', { name: 'Data' }).waitFor()
  let requests = 0
  page.on('request', request => {
    if (request.postData()?.includes('ListCases(')) requests++
  })
  await page.keyboard.press('Escape')
  const focused = page.locator('a[data-row]:focus')
  await focused.waitFor()
  expect(await focused.innerText()).toBe(name)
  expect(requests).toBeLessThan(10)
  await close(tab)
})
