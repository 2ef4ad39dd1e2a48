import { expect, test } from 'vitest'
import { startBrowsing } from '../start-browsing.ts'

const { open } = await startBrowsing()

const validation = (message: string) => ({ errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] })
const version = 'The gateway has another version than this page. Reload the page, then try again.'
const foreign = 'The answer (status 200) does not come from a Rostrum gateway. Try again later.'

test.each([
  [version, validation('Cannot query field "other" on type "Query".')],
  [version, validation('Unknown argument "other" on field "Query.cases".')],
  [version, validation('Variable "$a" got invalid value; Field "other" is not defined by type "B".')],
  [foreign, {}],
  [foreign, { errors: ['no upstream'] }],
  [foreign, { errors: 'no upstream' }],
  [foreign, { errors: { base: ['no upstream'] } }],
  [foreign, { data: 'no upstream' }],
])('a page says “%s” to the answer %j', async (shown, json) => {
  const { page } = await open('/cases')
  await page.getByRole('button', { name: 'New case' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Case type').fill('typed')
  await page.route('**/graphql', route => route.fulfill({ json }))
  await dialog.getByLabel('Case type').press('Enter')
  expect(await dialog.getByRole('alert').innerText()).toBe(shown)
  await page.unroute('**/graphql')
  await page.reload()
  await page.getByRole('button', { name: 'New case' }).click()
  expect(await dialog.getByLabel('Case type').inputValue()).toBe('typed')
  await page.context().close()
})

test.each([
  [200, ''],
  [403, ''],
  [403, 'null'],
  [403, '{"detail": [{"msg": "no upstream"}]}'],
  [502, 'null'],
])('a run to which a proxy answers with %i and “%s” says so', async (status, body) => {
  const { page } = await open('/playground', { hasTypes: false })
  const contentType = body === '' ? 'text/html' : 'application/json'
  await page.route('**/execute', route => route.fulfill({ status, contentType, body }))
  await page.getByRole('button', { name: 'Run' }).click()
  const alert = page.getByRole('alert').getByText(/^The answer \(status \d+\) does not come from/)
  await alert.waitFor()
  await page.context().close()
})
