import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { holdRequests } from '../hold-requests.ts'
import { enter, openTab } from '../open-browser.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Runs', exact: true }).locator('a[data-row]')
const idsOf = (page: Page) =>
  rowsOf(page).evaluateAll(rows => rows.map(row => row.getAttribute('href')?.split('/').at(-1)))

// Fewer than a page of the list, so that the page has a row in common with it at its next look.
async function run(name: string, count: number): Promise<void> {
  for (let number = 0; number < count; number++)
    await server.execute({ name: `${name} ${number}`, sourceCode: 'exit(1)' })
}

async function listIds(first: number): Promise<string[]> {
  const { body } = await server.graphql<{ runs: { nodes: { id: string }[] } }>(
    'query($first: Int) { runs(first: $first) { nodes { id } } }',
    { first },
  )
  return body.data?.runs.nodes.map(({ id }) => id) ?? []
}

test('a page left open keeps 200 rows and those that a person loaded, and moves no row on the screen', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken, '/runs')
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await run(name, 40)
    await rowsOf(page)
      .first()
      .filter({ hasText: `${name} 39` })
      .waitFor()
  }
  expect(await rowsOf(page).count()).toBe(200)
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect.poll(() => rowsOf(page).count()).toBe(240)
  expect(await idsOf(page)).toEqual(await listIds(240))
  await run('g', 20)
  await rowsOf(page).first().filter({ hasText: 'g 19' }).waitFor()
  expect(await rowsOf(page).count()).toBe(240)

  const last = rowsOf(page).filter({ hasText: 'a 20' })
  await last.scrollIntoViewIfNeeded()
  const before = await last.boundingBox()
  await run('h', 20)
  await rowsOf(page).first().filter({ hasText: 'h 19' }).waitFor()
  expect((await last.boundingBox())?.y).toBeCloseTo(before?.y ?? Number.NaN, -1)
  expect(await idsOf(page)).toEqual(await listIds(260))
  await page.evaluate(() => scrollTo(0, 0))
  await expect.poll(() => rowsOf(page).count()).toBe(240)
  expect(await idsOf(page)).toEqual(await listIds(240))
  expect(faults).toEqual([])
  await page.context().close()
})

test('a paused page counts every run that came while the gateway did not answer', async () => {
  await run('shown', 1)
  const { page, faults } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken, '/runs')
  await rowsOf(page).first().filter({ hasText: 'shown 0' }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await run('first', 2)
  await page.getByText('2 new').waitFor()
  await page.route('**/graphql', route => route.abort())
  for (let number = 0; number < 9; number++)
    await Promise.all(Array.from({ length: 25 }, () => run(`missed ${number}`, 1)))
  await page.unroute('**/graphql')
  await page.getByText('227 new').waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('rows of the filter before are not called live while those of the chosen one load', async () => {
  await server.execute({ name: 'refused', sourceCode: 'fail("no")' })
  const { page } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken, '/runs')
  const status = page.getByRole('main').getByRole('status').first()
  await status.getByText('Live').waitFor()
  await rowsOf(page).filter({ hasText: 'refused' }).first().waitFor()
  const { release } = await holdRequests(page, '**/graphql', '"outcome":"FAIL"')
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('fail')
  await status.getByText('Loading…').waitFor()
  release()
  await status.getByText('Live').waitFor()
  expect(new Set(await rowsOf(page).allTextContents())).toEqual(new Set(['refused']))
  await page.context().close()
})
