import { expect, test } from 'vitest'
import { holdRequests } from '../hold-requests.ts'
import { findBarriers, openTab, signIn } from '../open-browser.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

test('the docs lead from what a reader wants to a page, and from page to page', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await page.goto('/docs')
  expect(await page.title()).toBe('Docs · Rostrum')
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Quickstart' }).click()
  await page.getByRole('heading', { level: 1, name: 'Quickstart' }).waitFor()
  expect(await page.title()).toBe('Quickstart · Rostrum')
  expect(await page.getByRole('main').count()).toBe(1)

  await page.getByRole('region', { name: 'On this page' }).getByRole('link', { name: 'Run a script' }).click()
  await page.waitForURL('**/docs/quickstart#run-a-script')
  await page.getByRole('heading', { name: 'Run a script' }).getByRole('link').waitFor()
  await page.getByRole('link', { name: 'Next Scripts' }).click()
  await page.waitForURL('**/docs/scripts')
  await page.emulateMedia({ media: 'print' })
  const around = page.getByRole('region', { name: /^(All pages|On this page)$/ })
  expect(await page.getByRole('searchbox').or(around).count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a code block is copied by its button, and a status says so for some seconds after the last press', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.clock.install()
  await page.goto('/docs/quickstart')
  const copy = page.getByRole('button', { name: 'Copy' }).first()
  const notice = page.getByRole('status').getByText('Copied')
  await page.clock.pauseAt(Date.now() + 60_000)
  for (const passedMs of [2_000, 2_000]) {
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await copy.click()
    await notice.waitFor()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(copied).toBe('npm ci && npm start\n')
    await page.clock.runFor(passedMs)
  }
  expect(await notice.count()).toBe(1)
  await page.clock.runFor(2_000)
  expect(await notice.count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a search finds headings and texts of all pages, survives a reload, and leads to the place', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  const asked: string[] = []
  page.on('request', request => void asked.push(request.url()))
  await page.goto('/docs')
  const field = page.getByRole('searchbox', { name: 'Search' })
  await field.waitFor()
  expect(asked.filter(url => url.endsWith('search.json'))).toEqual([])
  await page.keyboard.press('/')
  await page.keyboard.type('no_outcome')
  const results = page.getByRole('main').getByRole('listitem')
  await expect.poll(() => results.allInnerTexts().then(texts => texts.join('\n'))).toContain('How a run ends')
  expect(await results.getByText('NO_OUTCOME').count()).toBeGreaterThan(0)
  expect(asked.filter(url => url.endsWith('search.json')).length).toBe(1)
  expect(await findBarriers(page)).toEqual([])

  await page.reload()
  expect(page.url()).toBe(`${server.baseUrl}/docs?q=no_outcome`)
  expect(await field.inputValue()).toBe('no_outcome')
  await page.getByRole('link', { name: 'How a run ends' }).click()
  await page.waitForURL('**/docs/scripts#how-a-run-ends')

  await page.keyboard.press('/')
  await page.keyboard.type('zzz <b>')
  await page.getByRole('status').getByText('0 results').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1, name: 'Scripts' }).waitFor()
  expect(page.url()).toBe(`${server.baseUrl}/docs/scripts#how-a-run-ends`)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a search without an answer says so, and is done again by a button', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await page.clock.install()
  const held = await holdRequests(page, '**/search.json')
  await page.goto('/docs?q=no_outcome')
  await page.getByText('Loading…').waitFor()
  await expect.poll(held.count).toBe(1)
  await page.clock.runFor(30_000)
  await page.getByRole('alert').getByText('The gateway does not answer. Try again.').waitFor()
  held.release()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'How a run ends' }).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('a page that does not exist is a page, too', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  const answer = await page.goto('/docs/none')
  expect(answer?.status()).toBe(404)
  await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  expect(faults.filter(fault => !fault.endsWith('/docs/none'))).toEqual([])
  await page.context().close()
})

test('a person who is signed in keeps the navigation', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken)
  await page.goto('/docs/rest')
  await page.getByRole('navigation').getByRole('link', { name: 'Functions' }).click()
  await page.waitForURL('**/functions')
  expect(faults).toEqual([])
  await page.context().close()
})

test.each(['quickstart', 'scripts', 'rest', 'settings', 'security'])(
  '/docs/%s has no barrier, scrolls its tables alone, and is small',
  async name => {
    const { page, faults } = await openTab(browser, server.baseUrl)
    await page.goto(`/docs/${name}`, { waitUntil: 'networkidle' })
    const bytes = await page.evaluate(() => {
      const entries = [
        ...performance.getEntriesByType('navigation'),
        ...performance.getEntriesByType('resource'),
      ]
      return entries.reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0)
    })
    expect(bytes).toBeGreaterThan(15_000)
    expect(bytes).toBeLessThan(60_000)
    expect(await findBarriers(page)).toEqual([])
    expect(faults).toEqual([])
    await page.context().close()
  },
)

test('the API page says that it loads, and what to do if its viewer does not come', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  const viewer = await holdRequests(page, '**/swagger-ui-bundle.js')
  await page.goto('/docs/api', { waitUntil: 'commit' })
  await page.getByRole('status').getByText('Loading…').waitFor()
  viewer.release()
  await page.getByRole('button', { name: 'Authorize' }).waitFor()
  expect(await page.getByText('Loading…').count()).toBe(0)

  for (const file of ['swagger-ui-bundle.js', 'start-viewer.js']) {
    await page.route(`**/${file}`, route => route.abort())
    await page.goto('/docs/api')
    await page.getByRole('alert').getByText('reload the page').waitFor()
    expect(await page.getByText('Loading…').isVisible()).toBe(false)
    expect(await findBarriers(page)).toEqual([])
    await page.unroute(`**/${file}`)
  }
  expect(faults).toEqual([])
  await page.context().close()
})
