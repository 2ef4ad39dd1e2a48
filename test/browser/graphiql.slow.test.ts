import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { boundsPastHalf } from '../graphql/share-of-bounds.ts'
import { addMembership } from '../server/clients/memberships.ts'
import { findBarriers } from './open-browser.ts'
import { startBrowsing } from './start-browsing.ts'

const { server, browser } = await startBrowsing()

// A page, and every address beyond the gateway that it asked for.
async function openPage() {
  const context = await browser.newContext()
  const foreign: string[] = []
  const failures: string[] = []
  context.on('request', request => {
    const url = request.url()
    if (!url.startsWith(server.baseUrl) && !/^(data|blob):/.test(url)) foreign.push(url)
  })
  const page = await context.newPage()
  page.on('pageerror', error => failures.push(error.message))
  return { page, foreign, failures }
}

// The query's editor is the first, and below it that of the headers, which is open from the start.
async function replaceText(page: Page, index: number, text: string) {
  await page.locator('.graphiql-editor:visible').nth(index).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

test('GraphiQL asks for the schema with the token, and shows it in its docs', async () => {
  const { page, failures } = await openPage()
  const asked: string[] = []
  page.on('request', request => {
    const body = request.postDataJSON() as { query?: string } | null
    if (body?.query?.includes('__schema')) asked.push(body.query)
  })
  await page.goto(`${server.baseUrl}/graphql`, { waitUntil: 'load' })
  await page.locator('.graphiql-editor:visible').nth(1).waitFor({ timeout: 20_000 })
  await replaceText(page, 1, `{"Authorization": "Bearer ${server.adminToken}"}`)
  await page.locator('button[aria-label^="Re-fetch GraphQL schema"]').click()
  await page.locator('button[aria-label="Show Documentation Explorer"]').click()

  const docs = page.locator('.graphiql-doc-explorer')
  await docs.getByText('Mutation', { exact: true }).click()
  await expect.poll(() => docs.innerText()).toContain('addTeamMembership')
  expect(asked.map(boundsPastHalf)).toEqual(asked.map(() => []))
  expect(asked.length).toBeGreaterThan(0)
  expect(failures).toEqual([])
  await page.context().close()
})

test('GraphiQL loads without another host, takes a token and a query, and shows the answer', async () => {
  const row = await addMembership(server, { user_id: 7, team_id: 3 })
  const { page, foreign, failures } = await openPage()
  const opened = await page.goto(`${server.baseUrl}/graphql`, { waitUntil: 'load' })
  expect(opened?.status()).toBe(200)
  expect(opened?.headers()['content-type']).toContain('text/html')

  const editors = page.locator('.graphiql-editor:visible')
  await editors.nth(1).waitFor({ timeout: 20_000 })
  await replaceText(page, 1, `{"Authorization": "Bearer ${server.adminToken}"}`)
  await replaceText(page, 0, `query { teamMembership(id: "${row.id}") { userId teamId team { id } } }`)
  await page.locator('button.graphiql-execute-button').click()

  const answer = page.locator('.result-window')
  await expect
    .poll(async () => (await answer.innerText()).replace(/\s+/g, ''), { timeout: 15_000 })
    .toContain('"teamMembership":{"userId":"7","teamId":"3","team":{"id":"3"}}')
  expect(foreign).toEqual([])
  expect(failures).toEqual([])
  await page.context().close()
})

test('axe finds no barrier in GraphiQL but the buttons inside its tabs', async () => {
  const { page } = await openPage()
  await page.goto(`${server.baseUrl}/graphql`, { waitUntil: 'load' })
  await page.locator('.graphiql-editor:visible').first().waitFor()
  const barriers = await findBarriers(page)
  expect(barriers.filter(barrier => !barrier.includes(': nested-interactive: '))).toEqual([])
  await page.context().close()
})

test('GraphiQL fits the window, and on a narrow one the answer is below the query', async () => {
  const { page } = await openPage()
  await page.goto(`${server.baseUrl}/graphql`, { waitUntil: 'load' })
  const answer = page.locator('.graphiql-response')
  for (const width of [1_280, 390]) {
    await page.setViewportSize({ width, height: 720 })
    await answer.waitFor({ timeout: 20_000 })
    expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight'), `${width}`).toBe(0)
    expect((await answer.boundingBox())?.width).toBeGreaterThan(250)
  }
  const query = await page.locator('.graphiql-query-editor').boundingBox()
  expect((await answer.boundingBox())?.y).toBeGreaterThan((query?.y ?? 0) + (query?.height ?? 0))
  await page.context().close()
})

test('GraphiQL and its code editor follow the colours of the system while they are open', async () => {
  const { page, failures } = await openPage()
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${server.baseUrl}/graphql`, { waitUntil: 'load' })
  const colour = () =>
    page
      .locator('.graphiql-query-editor .monaco-editor .view-lines')
      .evaluate(lines => getComputedStyle(lines.querySelector('span span') ?? lines).color)
  await page.locator('.graphiql-query-editor .view-line span span').first().waitFor({ timeout: 20_000 })
  const light = await colour()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(colour).not.toBe(light)
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(colour).toBe(light)
  expect(failures).toEqual([])
  await page.context().close()
})

test('GraphiQL says that it loads while a slow network brings it, below a bar that stays as it is', async () => {
  const { page, failures } = await openPage()
  const address = `${server.baseUrl}/graphql`
  await page.route(address, async route => {
    const answer = await route.fetch()
    const text = await answer.text()
    // What comes before the script, which is nearly all of the page.
    await route.fulfill({ response: answer, body: text.slice(0, text.indexOf('<script>')) })
  })
  await page.goto(address, { waitUntil: 'load' })
  await page.getByRole('status').getByText('Loading…').waitFor()
  const bar = page.locator('.rostrum-bar')
  const before = await bar.boundingBox()
  await page.unroute(address)
  await page.goto(address, { waitUntil: 'load' })
  await page.locator('.graphiql-response').waitFor({ timeout: 20_000 })
  expect(await page.getByText('Loading…').count()).toBe(0)
  // Without a session, the bar has the link “Sign in” too.
  expect(await bar.boundingBox()).toMatchObject({ x: before?.x, y: before?.y, width: before?.width })
  expect(failures).toEqual([])
  await page.context().close()
})

test('GraphiQL on a phone is as wide as its screen', async () => {
  const context = await browser.newContext({ isMobile: true, viewport: { width: 390, height: 720 } })
  const page = await context.newPage()
  await page.goto(`${server.baseUrl}/graphql`, { waitUntil: 'load' })
  await page.locator('.graphiql-response').waitFor({ timeout: 20_000 })
  expect(await page.evaluate('[innerWidth, document.documentElement.scrollWidth]')).toEqual([390, 390])
  await context.close()
})

test('in GraphiQL, the focus of the keyboard is seen', async () => {
  const { page } = await openPage()
  await page.goto(`${server.baseUrl}/graphql`, { waitUntil: 'load' })
  await page.locator('.graphiql-editor:visible').first().waitFor({ timeout: 20_000 })
  const button = page.getByRole('button', { name: 'Show Documentation Explorer' })
  for (let step = 0; step < 9 && !(await button.evaluate(own => own.matches(':focus'))); step++)
    await page.keyboard.press('Tab')
  const outline = await button.evaluate(own => getComputedStyle(own).outline)
  expect(outline).toMatch(/^rgb\(.+\) solid 2px$/)
  await page.context().close()
})

test('with the colors of the system, the open tab of GraphiQL and its main button are seen', async () => {
  const { page } = await openPage()
  await page.goto(`${server.baseUrl}/graphql`, { waitUntil: 'load' })
  await page.locator('.graphiql-editor:visible').first().waitFor({ timeout: 20_000 })
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light' })
  const execute = page.locator('.graphiql-execute-button')
  const background = await execute.evaluate(own => getComputedStyle(own).backgroundColor)
  expect(await execute.locator('svg').evaluate(own => getComputedStyle(own).color)).not.toBe(background)
  const tab = page.locator('.graphiql-tab-active')
  expect(await tab.evaluate(own => getComputedStyle(own).borderBottomStyle)).toBe('solid')
  await page.context().close()
})

test('a browser does not translate GraphiQL, which would break it', async () => {
  const { text } = await server.rest('GET', '/graphql', { token: null, headers: { accept: 'text/html' } })
  expect(text.trimStart()).toMatch(/^<!doctype html>\s*<html lang="en" translate="no">/)
})

test('the page is no data: it needs no credential, holds none, and names no other host', async () => {
  const answer = await server.rest('GET', '/graphql', { token: null, headers: { accept: 'text/html' } })
  expect(answer.status).toBe(200)
  expect(answer.text).not.toContain(server.adminToken)
  const sources = [...answer.text.matchAll(/<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="([^"]*)"/g)]
  expect(sources.map(match => match[1]).filter(source => /^(https?:)?\/\//.test(source ?? ''))).toEqual([])
})
