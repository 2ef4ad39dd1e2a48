import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdRequests } from '../hold-requests.ts'
import { isInView } from '../open-browser.ts'
import { CasesClient, dataOf } from './cases-client.ts'

let client: CasesClient

beforeAll(async () => {
  client = await CasesClient.start()
})
afterAll(() => client.stop())

test('a save that is asked for while the tasks load is done', async () => {
  const id = await client.createCase('hurried', { total: 1 })
  const tab = await client.open('/cases')
  const { page } = tab
  const tasks = await holdRequests(page, '**/graphql', 'ListCaseTasks(')
  await page.goto(`/cases/${id}`)
  await dataOf(page).fill('{"total": 2}')
  await page.keyboard.press('Control+S')
  await page.getByText('Saved as version 2.').waitFor()
  expect((await client.readCase(id)).data).toEqual({ total: 2 })
  tasks.release()
  await client.close(tab)
})

test('a long case says near its buttons that it saves, that it saved and that it did not', async () => {
  const id = await client.createCase('long', { rows: Array.from({ length: 100 }, (_row, index) => index) })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  await page.setViewportSize({ width: 1_280, height: 600 })
  const save = page.getByRole('button', { name: 'Save' })
  await dataOf(page).fill('{')
  await dataOf(page).evaluate(field => field.setAttribute('rows', '30'))
  await save.click()
  await page.getByRole('alert').waitFor()
  await expect.poll(() => isInView(page.getByRole('alert'))).toBe(true)
  await dataOf(page).fill('{"total": 1}')
  await dataOf(page).evaluate(field => field.setAttribute('rows', '30'))
  const saves = await holdRequests(page, '**/graphql', 'SaveCase(')
  await save.click()
  await page.getByRole('status').getByText('Saving…').waitFor()
  expect(await isInView(page.getByText('Saving…'))).toBe(true)
  saves.release()
  await page.getByText('Saved as version 2.').waitFor()
  expect(await isInView(page.getByText('Saved as version 2.'))).toBe(true)
  await client.close(tab)
})

test('what is typed while edits are discarded stays', async () => {
  const id = await client.createCase('retyped', { total: 1 })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  await dataOf(page).fill('{"total": 2}')
  const loads = await holdRequests(page, '**/graphql', 'FindCase(')
  await page.getByRole('button', { name: 'Discard edits' }).click()
  await expect.poll(loads.count).toBe(1)
  await dataOf(page).fill('{"total": 3}')
  loads.release()
  await page.getByText('You went on typing, so nothing was discarded.').waitFor()
  expect(await dataOf(page).inputValue()).toBe('{"total": 3}')
  await page.getByRole('button', { name: 'Discard edits' }).click()
  await page.getByText('Your edits were discarded.').waitFor()
  await expect.poll(() => dataOf(page).inputValue()).toContain('"total": 1')
  await client.close(tab)
})

test('cases of one type are not listed as those of another whose answer does not come', async () => {
  await client.createCase('listed', {})
  const tab = await client.open('/cases?type=listed')
  const { page } = tab
  const rows = page.getByRole('list', { name: 'Cases' }).getByRole('listitem')
  await rows.waitFor()
  await page.goto('/cases')
  await page.getByRole('combobox', { name: 'Type' }).selectOption('listed')
  await rows.waitFor()
  await page.route('**/graphql', route => route.abort())
  await page.goBack()
  await page.getByRole('alert').waitFor()
  expect(await rows.count()).toBe(0)
  await page.unrouteAll()
  await page.goForward()
  await rows.waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await client.close(tab)
})

test('an error that comes after the cases of a later choice is not shown beside them', async () => {
  await client.createCase('late-error', {})
  const tab = await client.open('/cases')
  const { page } = tab
  const type = page.getByRole('combobox', { name: 'Type' })
  await type.getByRole('option', { name: 'late-error' }).waitFor({ state: 'attached' })
  const late = Promise.withResolvers<void>()
  let asked = 0
  await page.route('**/graphql', async route => {
    const isList = /ListCases\(.*"late-error"/.test(route.request().postData() ?? '')
    if (!isList || ++asked > 1) return route.fallback()
    await late.promise
    await route.abort()
  })
  await type.selectOption('late-error')
  await expect.poll(() => asked).toBe(1)
  await type.selectOption('')
  await type.selectOption('late-error')
  const rows = page.getByRole('list', { name: 'Cases' }).getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(1)
  const failed = page.waitForEvent('requestfailed')
  late.resolve()
  await failed
  await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 100)))
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await rows.count()).toBe(1)
  await client.close(tab)
})

test('a history that did not come after a save is loaded again by a button', async () => {
  const id = await client.createCase('half-saved', { total: 1 })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  const versions = page.locator('.history .version')
  await versions.waitFor()
  await page.route('**/graphql', route => {
    const isHistory = route.request().postData()?.includes('ListEventsOfCase(') ?? false
    return isHistory ? route.abort() : route.fallback()
  })
  await dataOf(page).fill('{"total": 2}')
  await page.keyboard.press('Control+S')
  await page.getByText('Saved as version 2.').waitFor()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  await page.unrouteAll()
  await alert.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => versions.count()).toBe(2)
  expect(await alert.count()).toBe(0)
  await client.close(tab)
})

test('a history that lacks the newest version still says so after “Load more”', async () => {
  const id = await client.createCase('long-history', { total: 0 })
  for (let total = 1; total <= 30; total++)
    await client.server.rest('PUT', `/platform/cases/${id}`, { body: { case: { data: { total } } } })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  const versions = page.locator('.history .version')
  await versions.first().waitFor()
  const count = await versions.count()
  await page.route('**/graphql', route => {
    const isHistory = route.request().postData()?.includes('ListEventsOfCase(') ?? false
    return isHistory ? route.abort() : route.fallback()
  })
  await dataOf(page).fill('{"total": 99}')
  await page.keyboard.press('Control+S')
  const again = page.getByRole('alert').getByRole('button', { name: 'Try again' })
  await again.waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect.poll(() => versions.count()).toBeGreaterThan(count)
  await again.click()
  await versions.filter({ hasText: /^32 / }).waitFor()
  await client.close(tab)
})

test('a new case that is refused after its dialog was closed is said in an alert', async () => {
  const tab = await client.open('/cases')
  const { page } = tab
  await page.getByRole('button', { name: 'New case' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Case type').fill('no type!')
  const creation = await holdRequests(page, '**/graphql', 'CreateCase(')
  await page.keyboard.press('Enter')
  await expect.poll(creation.count).toBe(1)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  creation.release()
  await page.getByRole('alert').waitFor()
  await client.close(tab)
})

test('what a dry run would have changed is not shown beside other data', async () => {
  const id = await client.createCase('tried', { total: 1 })
  const tab = await client.open(`/cases/${id}`)
  const { page } = tab
  const dryRun = page.getByRole('button', { name: 'Dry run' })
  const patch = page.getByRole('region', { name: 'Patch' })
  await dataOf(page).fill('{"total": 2}')
  await dryRun.click()
  await patch.waitFor()
  await dataOf(page).fill('{"total": 3}')
  await page.getByText('You changed the data after the dry run.').waitFor()
  expect(await patch.count()).toBe(0)

  const held = await holdRequests(page, '**/graphql', 'TrySaveCase(')
  await dryRun.click()
  await expect.poll(held.count).toBe(1)
  await dataOf(page).fill('{"total": 4}')
  held.release()
  await page.getByText('You went on typing, so try the dry run again.').waitFor()
  expect(await patch.count()).toBe(0)
  await client.close(tab)
})

test('a list of cases says that the types did not load', async () => {
  await client.createCase('untyped', {})
  const tab = await client.open('/cases')
  const { page } = tab
  await page.route('**/graphql', route => {
    const isTypes = route.request().postData()?.includes('ListCaseTypes') ?? false
    return isTypes ? route.abort() : route.fallback()
  })
  const cases = await holdRequests(page, '**/graphql', 'ListCases(')
  await page.reload()
  const alert = page.getByRole('alert').getByText('cannot be reached')
  await alert.waitFor()
  cases.release()
  await page.getByRole('list', { name: 'Cases' }).waitFor()
  await page.evaluate(() => new Promise(done => requestAnimationFrame(done)))
  expect(await alert.isVisible()).toBe(true)
  await client.close(tab)
})
