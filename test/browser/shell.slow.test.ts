import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  bytesOnTheWire,
  enter,
  findBarriers,
  isInView,
  openTab,
  signIn,
  turnOffCache,
} from './open-browser.ts'
import { startBrowsing } from './start-browsing.ts'

const { server, browser } = await startBrowsing()

const names = ['Playground', 'Functions', 'Runs', 'Cases', 'Members']

test('the front page says what this is, and each of its links leads to a page', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await page.goto('/')
  for (const name of ['Sign in', 'GraphiQL', 'API', 'Docs']) {
    const link = page.getByRole('main').getByRole('link', { name })
    const path = (await link.getAttribute('href')) ?? ''
    const answer = await fetch(new URL(path, server.baseUrl), { headers: { accept: 'text/html' } })
    expect(answer.status, name).toBe(200)
  }
  const sourceCode = await page.getByRole('figure').locator('pre').innerText()
  const body = { name: 'front', sourceCode, inputDocument: { total: 3 }, options: {} }
  const run = await server.rest('POST', '/api/1/endpoint/execute', { body })
  expect(run.text).toContain('"payload":{"total":6}')
  expect(await findBarriers(page)).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})

test('a page without a session comes back after the login, with its query and fragment', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await page.goto('/runs?outcome=fail#here')
  await page.waitForURL('**/login')
  await page.getByLabel('Token').fill(server.adminToken)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/runs?outcome=fail#here')
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Runs')
  const navigation = page.getByRole('navigation')
  const links = await navigation.getByRole('link').allInnerTexts()
  expect(links).toEqual(names)
  expect(faults).toEqual([])

  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie)
  expect(kept).not.toContain(server.adminToken)
  const other = await page.context().newPage()
  await other.goto('/runs')
  await other.waitForURL('**/login')

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(server.adminToken)
  await page.context().close()
})

test('a token is read with the spaces and the word that a terminal or an example puts into it', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await page.goto('/login')
  await page.getByLabel('Token').fill('  ')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('Paste a token.').waitFor()
  const token = server.adminToken
  await page.getByLabel('Token').fill(` Bearer ${token.slice(0, 20)} ${token.slice(20)} `)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/playground')
  expect(faults).toEqual([])
  await page.context().close()
})

test('a refused token stays on the login with the gateway’s own words, and nothing is stored', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  const refused = await server.graphql('{ viewer { userId } }', {}, 'none')
  await page.goto('/login')
  expect(await findBarriers(page)).toEqual([])
  for (const token of ['none', 'nöne']) {
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    if (token === 'none')
      expect(await page.getByRole('alert').innerText()).toContain(refused.body.errors?.[0]?.message)
    else expect(await page.getByRole('alert').innerText()).toContain('ASCII')
    expect(await page.getByLabel('Token').evaluate(field => field === document.activeElement)).toBe(true)
    expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0)
  }
  expect(page.url()).toBe(`${server.baseUrl}/login`)
  expect(await findBarriers(page)).toEqual([])
  expect(faults).toEqual([])
  await page.context().close()
})

test('keys go from page to page, and `?` lists them', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken)
  for (const [index, key] of [...'pfrcm'].entries()) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.waitForURL(`**/${names[index]?.toLowerCase()}`)
    await page.getByRole('heading', { level: 1, name: names[index] ?? '' }).waitFor()
    expect(await page.title()).toBe(`${names[index]} · Rostrum`)
    expect(await page.getByRole('main').count()).toBe(1)
  }
  await page.keyboard.press('/')
  await page.keyboard.type('gp?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Goes to Cases').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.setViewportSize({ width: 600, height: 300 })
  await page.keyboard.press('?')
  expect(await isInView(dialog.getByRole('heading', { name: 'Keys' }))).toBe(true)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  expect(faults).toEqual([])
  await page.context().close()
})

/** Opens a page whose files no cache has, and returns their bytes on the wire, without answers of the API. */
async function countBytes(page: Page, path: string): Promise<number> {
  // The page after the sign-in may still load its parts, which are not counted.
  await page.goto('about:blank')
  await turnOffCache(page)
  const sizes: Promise<number>[] = []
  page.on('response', answer => {
    if (new URL(answer.url()).pathname !== '/graphql') sizes.push(bytesOnTheWire(answer.request()))
  })
  await page.goto(path, { waitUntil: 'networkidle' })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

test.each(['functions', 'runs', 'cases', 'members'])('/%s has no barrier, and is small', async path => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken)
  const bytes = await countBytes(page, `/${path}`)
  expect(bytes).toBeGreaterThan(15_000)
  expect(bytes).toBeLessThan(60_000)
  expect(await findBarriers(page)).toEqual([])
  await page.goto(`/${path}/none`, { waitUntil: 'networkidle' }).catch(() => null)
  expect(faults.filter(fault => !fault.includes('/members/none'))).toEqual([])
  await page.context().close()
})

test('the page of one function, run or case is small', async () => {
  const { body } = await server.graphql<{
    function: { id: string }
    case: { case: { id: string } }
  }>(`mutation {
    function: saveFunction(input: { name: "small", sourceCode: "exit(1)" }) { id }
    type: saveCaseType(input: { code: "small", indexedFields: [] }) { code }
    case: saveCase(input: { caseTypeCode: "small", data: {} }) { case { id } }
  }`)
  const { task_execution: run } = (await server.execute({ name: 'small', sourceCode: 'exit(1)' })).body
  const paths = [
    `/functions/${body.data?.function.id}`,
    `/runs/${run?.id}`,
    `/cases/${body.data?.case.case.id}`,
  ]
  for (const path of paths) {
    const { page, faults } = await openTab(browser, server.baseUrl)
    await enter(page, server.adminToken)
    const bytes = await countBytes(page, path)
    expect([path, bytes]).toEqual([path, expect.toSatisfy((size: number) => size > 15_000 && size < 60_000)])
    expect(faults).toEqual([])
    await page.context().close()
  }
})

test('a browser that allows no storage shows what needs no token, and the login says what is wrong', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await page.addInitScript(() => {
    const get = () => {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    }
    for (const name of ['sessionStorage', 'localStorage']) Object.defineProperty(globalThis, name, { get })
  })
  await page.goto('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.goto('/docs')
  await page.getByRole('searchbox').waitFor()
  await page.goto('/graphql')
  await page.locator('.graphiql-container').first().waitFor()
  await page.goto('/cases')
  await page.waitForURL('**/login')
  await page.getByLabel('Token').fill(server.adminToken)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Allow site data' }).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('in a tab whose storage is full, “New” says so, and one can sign in again', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken, '/functions')
  await page.evaluate(() => {
    let size = 2 ** 22
    for (let number = 0; size > 0; number++)
      try {
        sessionStorage.setItem(`full ${number}`, 'x'.repeat(size))
      } catch {
        size = Math.floor(size / 2)
      }
  })
  await page.getByRole('link', { name: 'New', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: 'no room' }).waitFor()
  await page.route('**/graphql', route =>
    route.fulfill({
      json: { errors: [{ message: 'It expired.', extensions: { code: 'UNAUTHENTICATED' } }] },
    }),
  )
  await page.reload()
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await page.waitForURL('**/login')
  await page.unrouteAll()
  await signIn(page, server.adminToken, '/login')
  await page.waitForURL('**/playground')
  expect(faults).toEqual([])
  await page.context().close()
})
