import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { holdRequests } from '../hold-requests.ts'
import { enter, findBarriers, openTab } from '../open-browser.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

const count = 52
const message = `The printer is <b>gone</b>.${' Nobody knows why.'.repeat(30)}`

async function listDead(): Promise<string[]> {
  const { body } = await server.graphql<{ queuedRuns: { nodes: { id: string }[] } }>(
    '{ queuedRuns(state: DEAD) { nodes { id } } }',
  )
  return body.data?.queuedRuns.nodes.map(({ id }) => id) ?? []
}

// A hook after a save that fails is dead at once.
beforeAll(async () => {
  await server.graphql('mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    input: { name: 'late', caseTypeCode: 'dead', sourceCode: `fail(${JSON.stringify(message)})` },
  })
  await server.graphql('mutation($input: SaveHookInput!) { saveHook(input: $input) { id } }', {
    input: { caseTypeCode: 'dead', event: 'POST_SAVE', functionName: 'late' },
  })
})

async function makeDeadRuns(count: number): Promise<void> {
  for (let number = 0; number < count; number++)
    await server.rest('POST', '/platform/cases', { body: { case: { case_type_code: 'dead', data: {} } } })
  await expect.poll(async () => (await listDead()).length, { timeout: 60_000 }).toBe(count)
}

const rowsOf = (page: Page) => page.locator('.dead .rows > li')
const heading = (page: Page, dead: number) =>
  page.getByRole('heading', { name: `Given up ${dead}`, exact: true })

test('the question of “Retry all” stays if the runs go meanwhile, and says so', async () => {
  await makeDeadRuns(2)
  const { page, faults } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken, '/runs')
  await heading(page, 2).waitFor()
  await page.getByRole('button', { name: 'Retry all' }).click()
  for (const id of await listDead()) {
    await server.graphql('mutation($id: ID!) { cancelQueuedRun(id: $id) { id } }', { id })
  }
  const dialog = page.getByRole('dialog', { name: 'Nothing is left to retry' })
  await dialog.waitFor()
  expect(await findBarriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.locator('.dead').getByRole('status').getByText('The runs are gone already').waitFor()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('dead-title')
  expect(faults).toEqual([])
  await page.context().close()
})

test('“Drop” drops the run that has the focus, after a question, also if another one went before it', async () => {
  await makeDeadRuns(count)
  const [first, , , fourth] = await listDead()
  const { page, faults } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken, '/runs')
  await heading(page, count).waitFor()
  expect(await rowsOf(page).first().isVisible()).toBe(false)
  expect(await page.locator('.dead').evaluate(box => box.getBoundingClientRect().height)).toBeLessThan(120)
  await page.getByText('failed at every attempt').click()
  expect(await rowsOf(page).count()).toBe(50)
  const why = rowsOf(page).first().locator('.why')
  expect(await why.evaluate(box => box.getBoundingClientRect().height)).toBeLessThan(60)
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Load more' }).first().click()
  await expect.poll(() => rowsOf(page).count()).toBe(count)
  // The button is gone, so the first new row has the focus.
  await expect.poll(() => rowsOf(page).nth(50).locator('summary:focus').count()).toBe(1)

  await rowsOf(page).nth(3).getByRole('button', { name: 'Drop' }).focus()
  await server.graphql('mutation($id: ID!) { cancelQueuedRun(id: $id) { id } }', { id: first })
  await heading(page, count - 1).waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Drop late?' })
  await dialog.getByText('for case 6').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await dialog.getByText('for case 6').waitFor()
  // Opened again before the page hears that it was closed.
  await page.evaluate(() => {
    const ask = document.querySelector<HTMLDialogElement>('dialog.drop')
    ask?.close()
    const opener = document.activeElement
    if (opener instanceof HTMLElement) opener.click()
    return new Promise(resolve => ask?.addEventListener('close', resolve, { once: true }))
  })
  await dialog.getByRole('button', { name: 'Drop' }).click()
  await page.getByText('The run was dropped.').waitFor()
  await heading(page, count - 2).waitFor()
  const left = await listDead()
  expect(left).toHaveLength(count - 2)
  expect(left).not.toContain(fourth)
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('dead-title')

  await rowsOf(page).first().getByRole('button', { name: 'Drop' }).click()
  await server.graphql('mutation($id: ID!) { cancelQueuedRun(id: $id) { id } }', { id: left[0] })
  await dialog.getByRole('button', { name: 'Drop' }).click()
  await page.getByText('The run is gone already').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a run that is retried slowly says so, and a second press does not retry it again', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken, '/runs')
  await page.getByText('failed at every attempt').click()
  const retries = await holdRequests(page, '**/graphql', 'RetryDeadRun(')
  const retry = rowsOf(page).first().getByRole('button', { name: 'Retry' })
  await retry.click()
  await page.getByRole('status').getByText('Retrying…').waitFor()
  await retry.click()
  await expect.poll(retries.count).toBe(1)
  retries.release()
  await page.getByText('The run waits again.').waitFor()
  expect(retries.count()).toBe(1)
  await expect.poll(async () => (await listDead()).length).toBe(count - 3)
  expect(faults).toEqual([])
  await page.context().close()
})

test('“Retry all” makes every run wait again, after a question', async () => {
  const dead = (await listDead()).length
  const { page, faults } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken, '/runs')
  await heading(page, dead).waitFor()
  const button = page.getByRole('button', { name: 'Retry all' })
  await button.click()
  const dialog = page.getByRole('dialog', { name: `Retry all ${dead} runs?` })
  await dialog.waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  expect(await listDead()).toHaveLength(dead)
  await server.graphql('mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    input: { name: 'late', caseTypeCode: 'dead', sourceCode: 'exit(null)' },
  })
  await button.click()
  await dialog.getByRole('button', { name: 'Retry all' }).click()
  await page.getByText(`${dead} runs are tried again.`).waitFor()
  await heading(page, 0).waitFor()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('dead-title')
  expect(await button.count()).toBe(0)
  expect(await listDead()).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})

test.each([
  [1_200, '1200 runs are tried again. Those'],
  [1_100, '1100 of 1200 runs are tried again. The others'],
])('“Retry all” of 1,200 runs, when %i can be retried, retries those', async (left, notice) => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  let dead = left
  await page.route('**/graphql', async route => {
    const { query, variables } = route.request().postDataJSON()
    if (query.includes('ListDeadRuns')) {
      const queuedRuns = { totalCount: 1_200, nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }
      return route.fulfill({ json: { data: { queuedRuns } } })
    }
    if (!query.includes('RetryDeadRuns')) return route.continue()
    const retryQueuedRuns = Math.min(variables.first ?? 1_000, 1_000, dead)
    dead -= retryQueuedRuns
    return route.fulfill({ json: { data: { retryQueuedRuns } } })
  })
  await enter(page, server.adminToken, '/runs')
  await page.getByRole('button', { name: 'Retry all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Retry all' }).click()
  await page.getByText(notice).waitFor()
  expect(dead).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})
