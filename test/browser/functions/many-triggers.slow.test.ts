import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { enter, expireToken, findBarriers, openTab, signInAgain } from '../open-browser.ts'
import { close, startBrowsing } from '../start-browsing.ts'

const events = ['PRE_SAVE', 'POST_SAVE', 'PRE_DELETE', 'POST_DELETE']

const { server, browser, open } = await startBrowsing()

async function save(name: string): Promise<string> {
  const { body } = await server.graphql<{ saveFunction: { id: string } }>(
    'mutation($name: String!) { saveFunction(input: { name: $name, sourceCode: "exit(payload)" }) { id } }',
    { name },
  )
  return body.data?.saveFunction.id ?? expect.unreachable()
}

// Saves the most that a case type can have: 40 hooks.
async function hook(functionId: string, caseTypeCode: string): Promise<void> {
  const fields = Array.from({ length: 40 }, (_field, index) => {
    const input = `functionId: ${functionId}, caseTypeCode: "${caseTypeCode}", event: ${events[index % 4]}`
    return `hook${index}: saveHook(input: { ${input} }) { id }`
  })
  const { body } = await server.graphql(`mutation { ${fields.join(' ')} }`)
  expect(body.errors).toBeUndefined()
}

const itemsOf = (page: Page, name: string) =>
  page.getByRole('list', { name, exact: true }).getByRole('listitem')

test('a function of an account with more than 1,000 hooks shows its own, and its tasks and webhooks', async () => {
  const [other, own] = [await save('of-many'), await save('of-few')]
  for (let number = 0; number < 26; number++) await hook(other, `type-${number}`)
  const { body } = await server.graphql(`mutation {
    saveHook(input: { functionId: ${own}, caseTypeCode: "zebra", event: PRE_SAVE }) { id }
    saveCaseTask(input: { functionId: ${own}, caseTypeCode: "zebra", name: "stripe" }) { id }
    saveWebhook(input: { functionId: ${own}, name: "stripes", verification: STANDARD }) { webhook { id } }
  }`)
  expect(body.errors).toBeUndefined()
  const { page, faults } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken, `/functions/${own}`)
  await itemsOf(page, 'Hooks').getByText('Before each save of zebra').waitFor()
  await itemsOf(page, 'Tasks').getByText('stripe on zebra').waitFor()
  await itemsOf(page, 'Webhooks').getByText('stripes').first().waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await page.getByText('too many').count()).toBe(0)
  await itemsOf(page, 'Hooks').getByRole('button', { name: 'Switch off' }).click()
  await itemsOf(page, 'Hooks').getByRole('button', { name: 'Switch on' }).waitFor()
  expect(faults).toEqual([])

  const reader = await openTab(browser, server.baseUrl)
  await enter(
    reader.page,
    await server.token({ account: server.account, scopes: ['functions:read'] }),
    `/functions/${own}`,
  )
  await itemsOf(reader.page, 'Hooks').getByText('Before each save of zebra').waitFor()
  await itemsOf(reader.page, 'Tasks').getByText('stripe on zebra').waitFor()
  expect(await findBarriers(reader.page)).toEqual([])
  expect(reader.faults).toEqual([])

  await page.goto(`/functions/${other}`)
  await page
    .getByRole('alert')
    .getByText(/more than \W*1000\W* such hooks/)
    .waitFor()
  await Promise.all([page.context().close(), reader.page.context().close()])
})

test('a webhook that was typed is there after signing in again, without its secret', async () => {
  const { page } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken, `/functions/${await save('expired')}`)
  const dialog = page.getByRole('dialog')
  const add = () => page.getByRole('button', { name: 'Add webhook' }).click()
  await add()
  await dialog.getByLabel('Name').fill('kept')
  await dialog.getByLabel('Signature').selectOption('SECRET')
  await dialog.getByLabel('Header').fill('X-Kept-Token')
  await dialog.getByLabel('Secret of the sender').fill('not-to-be-kept')
  await dialog.getByLabel('cases:read').check()
  await expireToken(page)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await signInAgain(page, server.adminToken)
  await add()
  expect(await dialog.getByLabel('Name').inputValue()).toBe('kept')
  expect(await dialog.getByLabel('Signature').inputValue()).toBe('SECRET')
  expect(await dialog.getByLabel('Header').inputValue()).toBe('X-Kept-Token')
  expect(await dialog.getByLabel('cases:read').isChecked()).toBe(true)
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('not-to-be-kept')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await add()
  expect(await dialog.getByLabel('Name').inputValue()).toBe('')
  expect(await dialog.getByLabel('cases:read').isChecked()).toBe(false)
  await page.context().close()
})

test('the choice to end earlier secrets at once is there after signing in again, until it is cancelled', async () => {
  const functionId = await save('rotated')
  const { body } = await server.graphql(`mutation {
    saveWebhook(input: { functionId: ${functionId}, name: "rotated", verification: STANDARD }) { webhook { id } }
  }`)
  expect(body.errors).toBeUndefined()
  const tab = await open(`/functions/${functionId}`)
  const { page } = tab
  const dialog = page.getByRole('dialog')
  const earlier = dialog.getByLabel('Earlier secrets')
  const ask = () => page.getByRole('button', { name: 'New secret' }).click()
  await ask()
  await earlier.selectOption('End at once')
  await expireToken(page)
  await dialog.getByRole('button', { name: 'New secret' }).click()
  await signInAgain(page, server.adminToken)
  await ask()
  expect(await earlier.inputValue()).toBe('0')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await ask()
  expect(await earlier.inputValue()).toBe('24')
  await close(tab)
})

test('a dialog whose file does not come says what to do', async () => {
  const { body } = await server.graphql<{ saveFunction: { id: string } }>(
    'mutation { saveFunction(input: { name: "late-dialog", sourceCode: "exit(1)" }) { id } }',
  )
  const tab = await open(`/functions/${body.data?.saveFunction.id}`)
  const { page } = tab
  await page.route('**/trigger-dialog.ts', route => route.abort())
  await page.getByRole('button', { name: 'Add hook' }).click()
  await page.getByRole('alert').getByText('load the page again').waitFor()
  await close(tab)
})

test('the browser asks before it leaves a new secret, which is still there on a page that it kept', async () => {
  const tab = await open(`/functions/${await save('shown')}`)
  const { page } = tab
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByLabel('Name').fill('shown')
  await page.keyboard.press('Enter')
  const field = dialog.getByLabel('New secret')
  const secret = await field.inputValue()
  await page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  const asked = Promise.withResolvers<string>()
  page.once('dialog', async dialog => {
    await dialog.dismiss()
    asked.resolve(dialog.type())
  })
  await page.evaluate(() => location.assign('/runs'))
  expect(await asked.promise).toBe('beforeunload')
  expect(await field.inputValue()).toBe(secret)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Add webhook' }).waitFor()
  await close(tab)
})
