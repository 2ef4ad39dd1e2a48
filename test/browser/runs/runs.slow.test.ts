import type { Locator, Page, Response } from 'playwright-core'
import { expect, test } from 'vitest'
import { holdRequests } from '../hold-requests.ts'
import { findBarriers } from '../open-browser.ts'
import { close, startBrowsing } from '../start-browsing.ts'

const { server, open } = await startBrowsing()

async function run(name: string, sourceCode: string): Promise<string> {
  const { body } = await server.execute({ name, sourceCode, inputDocument: '{}', options: '{}' })
  return body.task_execution.id
}

async function listNames(first: number): Promise<string[]> {
  const { body } = await server.graphql<{ runs: { nodes: { name: string }[] } }>(
    'query($first: Int) { runs(first: $first) { nodes { name } } }',
    { first },
  )
  return body.data?.runs.nodes.map(({ name }) => name) ?? []
}

const tableOf = (page: Page) => page.getByRole('table', { name: 'Runs', exact: true })
const rowOf = (page: Page, name: string) => tableOf(page).getByRole('row').filter({ hasText: name })

test('an empty page says what to do, and new runs come by themselves, newest first', async () => {
  const tab = await open('/runs')
  const { page } = tab
  await page.getByText('No runs yet').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await run('first <b>', 'exit(1)')
  await rowOf(page, 'first <b>').waitFor()
  const id = await run('second', 'fail("no")')
  await rowOf(page, 'second').waitFor()
  const link = tableOf(page).getByRole('link').first()
  expect([await link.innerText(), await link.getAttribute('href')]).toEqual(['second', `/runs/${id}`])
  await close(tab)
})

test('the functions to filter by are asked for again after a failure, and a name shows its marks', async () => {
  const saved = await server.graphql<{ saveFunction: { id: string } }>(
    'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }',
    { input: { name: 'filtered', sourceCode: 'exit(1)' } },
  )
  await run('a\u202ebc', 'exit(1)')
  const { page } = await open('/runs')
  let isFirst = true
  await page.route('**/graphql', async (route, request) => {
    if (!isFirst || !request.postData()?.includes('ListFunctionNames')) return route.fallback()
    isFirst = false
    await route.abort()
  })
  await page.reload()
  const link = rowOf(page, 'U+202E').getByRole('link').first()
  await link.waitFor()
  const select = page.getByRole('combobox', { name: 'Function' })
  await select.focus()
  await select.selectOption(saved.body.data?.saveFunction.id ?? '')
  await link.waitFor({ state: 'detached' })
  await page.goBack()
  await link.click()
  await page.getByRole('heading', { name: 'U+202E' }).waitFor()
  await page.context().close()
})

test('a long name of a run wraps, and leaves the other columns their width', async () => {
  await run('L'.repeat(200), 'exit(1)')
  const tab = await open('/runs')
  const { page } = tab
  await page.setViewportSize({ width: 1_280, height: 844 })
  const cells = rowOf(page, 'LLL').getByRole('cell')
  await cells.first().waitFor()
  const heights = await cells.evaluateAll(all =>
    all.map(cell => {
      const text = document.createRange()
      text.selectNodeContents(cell)
      return text.getBoundingClientRect().height
    }),
  )
  const lineHeight = 30
  expect(heights[0]).toBeGreaterThan(lineHeight)
  expect(heights.slice(1).filter(height => height > lineHeight)).toEqual([])
  await close(tab)
})

test('a paused table stands still and counts, and once it goes on, it says so and counts no more', async () => {
  await run('before', 'exit(1)')
  const tab = await open('/runs')
  const { page } = tab
  await rowOf(page, 'before').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  for (let count = 0; count < 3; count++) await run('later', 'exit(1)')
  await page.getByText('3 new').waitFor()
  expect(await rowOf(page, 'later').count()).toBe(0)
  const counting = await holdRequests(page, '**/graphql', 'ListNewestRunIds')
  await expect.poll(counting.count).toBe(1)
  const listing = await holdRequests(page, '**/graphql', 'ListRuns')
  await page.getByRole('button', { name: 'Resume' }).click()
  const pause = page.getByRole('button', { name: 'Pause' })
  await pause.waitFor()
  const isCount = (answer: Response) => answer.request().postData()?.includes('ListNewestRunIds') === true
  const counted = page.waitForResponse(isCount)
  counting.release()
  await (await counted).finished()
  listing.release()
  await expect.poll(() => rowOf(page, 'later').count()).toBe(3)
  await pause.click()
  await page.getByText('Paused').waitFor()
  expect(await page.getByText('3 new').count()).toBe(0)
  await close(tab)
})

test('a paused table counts a thousand new runs, and asks for no more of them', async () => {
  const tab = await open('/runs')
  const { page } = tab
  const nodes = Array.from({ length: 1_001 }, (_, id) => ({ id: String(id) }))
  let asked = 0
  await page.route('**/graphql', route => {
    if (!route.request().postData()?.includes('ListNewestRunIds')) return route.fallback()
    asked++
    return route.fulfill({
      json: { data: { runs: { nodes, pageInfo: { hasNextPage: true, endCursor: 'last' } } } },
    })
  })
  await page.clock.install()
  await page.reload()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('1000+ new', { exact: true }).waitFor()
  await page.clock.runFor(2_000)
  expect(asked).toBe(1)
  await close(tab)
})

test('filters are in the address: a reload keeps them, and Back takes the last one back', async () => {
  await run('good', 'exit(1)')
  await run('bad', 'fail("no")')
  await run('worse', 'throw 1')
  const tab = await open('/runs')
  const { page } = tab
  await rowOf(page, 'worse').waitFor()
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('fail')
  await page.waitForURL('**/runs?outcome=fail')
  await rowOf(page, 'worse').waitFor({ state: 'detached' })
  await page.getByRole('searchbox', { name: 'Search' }).fill('ba')
  await page.waitForURL('**/runs?outcome=fail&text=ba')
  await rowOf(page, 'bad').first().waitFor()
  await page.reload()
  await rowOf(page, 'bad').first().waitFor()
  expect(await rowOf(page, 'good').count()).toBe(0)
  expect(await page.getByRole('combobox', { name: 'Outcome' }).inputValue()).toBe('fail')
  await page.goBack()
  await page.waitForURL('**/runs?outcome=fail')
  await page.goBack()
  await page.waitForURL('**/runs')
  await rowOf(page, 'good').first().waitFor()
  expect(await page.getByRole('combobox', { name: 'Outcome' }).inputValue()).toBe('')

  await page.getByRole('combobox', { name: 'Trigger' }).selectOption('webhook')
  await page.getByText('No run fits these filters').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Show all runs' }).click()
  await page.waitForURL('**/runs')
  await rowOf(page, 'good').first().waitFor()
  expect(await page.getByRole('combobox', { name: 'Outcome' }).evaluate(it => it.matches(':focus'))).toBe(
    true,
  )
  await close(tab)
})

test('the table begins at a chosen time, which the address has in UTC', async () => {
  await run('in time', 'exit(1)')
  const tab = await open('/runs', { timezoneId: 'Asia/Kolkata' })
  const { page } = tab
  const field = page.getByLabel('Started before')
  await rowOf(page, 'in time').first().waitFor()
  await field.fill('2026-01-31T10:00')
  await page.waitForURL('**/runs?before=2026-01-31T04%3A30%3A00.000Z')
  await page.getByText('No run fits these filters').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.reload()
  await page.getByText('No run fits these filters').waitFor()
  expect(await field.inputValue()).toBe('2026-01-31T10:00')
  await field.fill('9999-12-31T10:00')
  await rowOf(page, 'in time').first().waitFor()
  await field.fill('')
  await page.waitForURL('**/runs')
  await close(tab)
})

test('a filtered table asks for its runs again only after a new run, which it shows soon', async () => {
  const tab = await open('/runs?text=rare')
  const { page } = tab
  const asked: string[] = []
  page.on('request', request => {
    const [name] = /ReadNewestRun|ListRuns/.exec(request.postData() ?? '') ?? []
    if (name !== undefined) asked.push(name)
  })
  const count = (wanted: string) => asked.filter(name => name === wanted).length
  // Runs of the tests before may be listed meanwhile.
  await expect.poll(() => count('ReadNewestRun') - count('ListRuns')).toBeGreaterThan(1)
  const begun = asked.length
  await run('rare one', 'exit(1)')
  const ended = asked.length
  await rowOf(page, 'rare one').waitFor()
  // Without a new run, it asks about seven times more before it searches again.
  expect(asked.indexOf('ListRuns', begun) - ended).toBeLessThan(5)
  await close(tab)
})

test('a search keeps a space that is typed slowly, and a text that a filter follows at once', async () => {
  await run('two words', 'exit(1)')
  await run('two others', 'fail("no")')
  const tab = await open('/runs')
  const { page } = tab
  const search = page.getByRole('searchbox', { name: 'Search' })
  await rowOf(page, 'two others').waitFor()
  await search.pressSequentially('two ')
  await page.waitForURL('**/runs?text=two+')
  await rowOf(page, 'two words').waitFor()
  await search.pressSequentially('words')
  await page.waitForURL('**/runs?text=two+words')
  await rowOf(page, 'two others').waitFor({ state: 'detached' })
  expect(await search.inputValue()).toBe('two words')

  await search.fill('two o')
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('fail')
  await page.waitForURL('**/runs?outcome=fail&text=two+o')
  await rowOf(page, 'two others').waitFor()
  await close(tab)
})

test('a text that is typed just before Back does not stay in the field', async () => {
  const tab = await open('/runs')
  const { page } = tab
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('fail')
  await page.waitForURL('**/runs?outcome=fail')
  // Faster than the field waits for the next letter.
  await page.getByRole('searchbox', { name: 'Search' }).evaluate(field => {
    if (field instanceof HTMLInputElement) field.value = 'two'
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    history.back()
  })
  await page.waitForURL('**/runs')
  await expect.poll(() => page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('')
  await close(tab)
})

test('“Load more” pressed twice shows each older run once', async () => {
  for (let count = 0; count < 53; count++) await run('many', 'exit(1)')
  // A run is listed a moment after its answer.
  await expect.poll(async () => (await listNames(53)).every(name => name === 'many')).toBe(true)
  const tab = await open('/runs?text=many')
  const { page } = tab
  await expect.poll(() => rowOf(page, 'many').count()).toBe(50)
  const older = await holdRequests(page, '**/graphql', '"after":"')
  const more = page.getByRole('button', { name: 'Load more' })
  await more.click()
  await more.click()
  await expect.poll(older.count).toBe(2)
  await page.getByRole('button', { name: 'Load more loading…' }).waitFor()
  const answers = [1, 2].map(() => page.waitForResponse('**/graphql'))
  older.release()
  await Promise.all(answers)
  await more.waitFor({ state: 'detached' })
  expect(await rowOf(page, 'many').count()).toBe(53)
  await close(tab)
})

test('a filter that the gateway refuses is no lost connection', async () => {
  const tab = await open('/runs?function=abc')
  const { page } = tab
  await page.getByRole('alert').getByText('`abc` is not a valid function id').waitFor()
  await page.getByRole('status').getByText('Refused').waitFor()
  await close(tab)
})

test('a token that expires while the page is open is no lost connection', async () => {
  const tab = await open('/runs')
  const { page } = tab
  await page.getByRole('status').getByText('Live').waitFor()
  await page.route('**/graphql', route =>
    route.fulfill({
      json: { errors: [{ message: 'It expired.', extensions: { code: 'UNAUTHENTICATED' } }] },
    }),
  )
  await page.getByRole('alert').filter({ hasText: 'It expired.' }).waitFor()
  await page.getByRole('status').getByText('Refused').waitFor()
  await close(tab)
})

test('a page that asks too often waits as long as the gateway says, and is not said to be cut off', async () => {
  const tab = await open('/cases')
  const { page } = tab
  const counts = new Map(['ListRuns', 'RunStats', 'DeadRuns'].map(name => [name, 0]))
  const errors = [{ message: 'Too many requests.', extensions: { code: 'OVERLOADED' } }]
  await page.route('**/graphql', route => {
    for (const [name, count] of counts)
      if (route.request().postData()?.includes(name)) counts.set(name, count + 1)
    return route.fulfill({ status: 429, headers: { 'retry-after': '30' }, json: { errors } })
  })
  await page.clock.install()
  await page.goto('/runs')
  await page.getByRole('status').getByText('Refused').waitFor()
  await expect.poll(() => [...counts.values()]).toEqual([1, 1, 1])
  await page.getByText('Not loaded').first().waitFor()
  await page.clock.fastForward(15_000)
  await page.evaluate('new Promise(requestAnimationFrame)')
  expect([...counts.values()]).toEqual([1, 1, 1])
  await page.clock.fastForward(16_000)
  await expect.poll(() => [...counts.values()]).toEqual([2, 2, 2])
  await close(tab)
})

test('charts whose figures do not come do not say that there were no runs', async () => {
  const tab = await open('/cases')
  const { page } = tab
  await page.route('**/graphql', route => route.abort())
  await page.goto('/runs')
  await page.getByRole('alert').waitFor()
  expect(await page.getByText('No runs in the last hour').count()).toBe(0)
  expect(await page.getByRole('figure').getByText('Not loaded').count()).toBe(3)
  await close(tab)
})

test('runs of one filter are not listed or counted under another one whose answer does not come', async () => {
  await run('of all outcomes', 'exit(1)')
  const tab = await open('/runs')
  const { page } = tab
  await rowOf(page, 'of all outcomes').waitFor()
  const minutes = page.getByRole('figure', { name: 'Runs a minute' })
  await minutes.getByRole('img').first().waitFor()
  await page.route('**/graphql', route => route.abort())
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('fail')
  await rowOf(page, 'of all outcomes').waitFor({ state: 'detached' })
  await page.getByRole('alert').waitFor()
  await minutes.getByText('Not loaded').waitFor()
  await close(tab)
})

interface DrawnBar {
  readonly value: number
  readonly height: number
}

async function barsOf(figure: Locator): Promise<DrawnBar[]> {
  const bars = await figure.getByRole('img').all()
  return Promise.all(
    bars.map(async bar => ({
      value: Number(/: ([\d.]+)$/.exec((await bar.getAttribute('aria-label')) ?? '')?.[1]),
      height: (await bar.boundingBox())?.height ?? Number.NaN,
    })),
  )
}

test('each chart has a table of the same name, and bars in proportion to its figures', async () => {
  for (const sourceCode of ['exit(1)', 'exit(1)', 'exit(1)', 'fail("a")', 'throw 1'])
    await run('counted', sourceCode)
  const tab = await open('/runs')
  const { page } = tab
  await page.getByRole('figure', { name: 'Outcomes' }).getByRole('img').first().waitFor()
  for (const name of ['Runs a minute', 'Outcomes', 'Duration']) {
    const figure = page.getByRole('figure', { name })
    await figure.getByText('Figures').click()
    const rows = await page.getByRole('table', { name, exact: true }).getByRole('row').allInnerTexts()
    const bars = await barsOf(figure)
    expect(bars).toHaveLength(rows.length - 1)
    const scale = Math.max(...bars.map(({ height }) => height)) / Math.max(...bars.map(({ value }) => value))
    for (const { value, height } of bars) expect(height).toBeCloseTo(value * scale, 0)
  }
  const durations = page.getByRole('figure', { name: 'Duration' }).locator('.legend')
  expect(await durations.innerText()).toMatch(/p50 [\d.]+ m?s\s+p95 [\d.]+ m?s/)
  const outcomes = await page.getByRole('table', { name: 'Outcomes' }).getByRole('rowheader').allInnerTexts()
  expect(outcomes).toEqual(['exit', 'fail', 'error'])
  expect(await findBarriers(page)).toEqual([])
  await close(tab)
})

test('keys move from row to row, open one, and Escape comes back to it', async () => {
  await run('older', 'exit(1)')
  const id = await run('newer', 'exit(1)')
  const tab = await open('/runs?outcome=exit')
  const { page } = tab
  await rowOf(page, 'newer').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/runs/${id}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL('**/runs?outcome=exit')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('href')))
    .toBe(`/runs/${id}`)
  await close(tab)
})

test('Escape comes back to a row that newer runs moved off the first page', async () => {
  const id = await run('opened', 'exit(1)')
  const tab = await open('/runs')
  const { page } = tab
  await rowOf(page, 'opened').getByRole('link').press('Enter')
  await page.waitForURL(`**/runs/${id}`)
  await page.getByRole('heading', { level: 1, name: 'opened' }).waitFor()
  for (let count = 0; count < 55; count++) await run('newest', 'exit(1)')
  await expect.poll(async () => (await listNames(50)).every(name => name === 'newest')).toBe(true)
  await page.keyboard.press('Escape')
  await page.waitForURL('**/runs')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('href')))
    .toBe(`/runs/${id}`)
  await close(tab)
})

test('a dead queued run is shown with its error, and waits again after a retry', async () => {
  const { graphql } = server
  await graphql('mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    input: { name: 'late', caseTypeCode: 'dead', sourceCode: 'fail("The printer is <b>gone</b>.")' },
  })
  const saved = await graphql('mutation($input: SaveHookInput!) { saveHook(input: $input) { id } }', {
    input: { caseTypeCode: 'dead', event: 'POST_SAVE', functionName: 'late' },
  })
  expect(saved.body.errors).toBeUndefined()
  await server.rest('POST', '/platform/cases', { body: { case: { case_type_code: 'dead', data: {} } } })
  const tab = await open('/runs')
  const { page } = tab
  const row = page.locator('.dead .rows > li')
  await expect
    .poll(
      async () => {
        await page.reload()
        await page.getByRole('heading', { level: 1 }).waitFor()
        await rowOf(page, 'late').first().waitFor()
        return row.count()
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(0)
  await page.getByText('failed at every attempt').click()
  await row.getByText('The printer is <b>gone</b>.').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await row.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('The run waits again.').waitFor()
  await close(tab)
})
