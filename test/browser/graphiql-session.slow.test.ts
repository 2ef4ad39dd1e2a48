import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addMembership } from '../server/clients/memberships.ts'
import { holdRequests } from './hold-requests.ts'
import { enter, openTab, signIn } from './open-browser.ts'
import { startBrowsing } from './start-browsing.ts'

const { server, browser } = await startBrowsing()

const kept = (page: Page) =>
  page.evaluate(() => ({ local: { ...localStorage }, session: JSON.stringify({ ...sessionStorage }) }))

async function openGraphiql(page: Page, editors: number): Promise<void> {
  await page.goto('/graphql', { waitUntil: 'load' })
  await page
    .locator('.graphiql-editor:visible')
    .nth(editors - 1)
    .waitFor({ timeout: 20_000 })
}

async function typeQuery(page: Page, text: string): Promise<void> {
  await page.locator('.graphiql-editor:visible').first().click()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

// Every request to `/graphql` that is not the page: its credential and the status of its answer.
function watchRequests(page: Page) {
  const asked: { readonly authorization: string | null; readonly status: number }[] = []
  page.on('response', answer => {
    const request = answer.request()
    if (request.method() !== 'POST' || new URL(request.url()).pathname !== '/graphql') return
    const authorization = request.headers().authorization ?? null
    asked.push({ authorization, status: answer.status() })
  })
  return asked
}

test('in a signed-in tab GraphiQL sends the token by itself, from its first request on', async () => {
  const row = await addMembership(server, { user_id: 8, team_id: 4 })
  const { page, faults } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken)
  // What earlier versions kept.
  await page.evaluate(() => localStorage.setItem('graphiql:headers', '{"Authorization": "Bearer old"}'))
  const asked = watchRequests(page)
  await openGraphiql(page, 2)
  expect(await page.title()).toBe('GraphiQL · Rostrum')
  expect(await page.locator('body').innerText()).not.toContain('Yoga')
  await page.locator('button[aria-label="Show Documentation Explorer"]').click()
  await page.locator('.graphiql-doc-explorer').getByText('Mutation', { exact: true }).waitFor()

  await typeQuery(page, `query Mine { teamMembership(id: "${row.id}") { userId } }`)
  await page.locator('button.graphiql-execute-button').click()
  const answer = page.locator('.result-window')
  await expect.poll(() => answer.innerText()).toMatch(/"userId":\s*"8"/)
  expect(asked.length).toBeGreaterThan(1)
  expect(asked).toEqual(asked.map(() => ({ authorization: `Bearer ${server.adminToken}`, status: 200 })))

  // The tabs are written half a second after an edit.
  await expect.poll(async () => (await kept(page)).session).toContain('query Mine')
  await page.reload()
  await page.locator('.graphiql-editor:visible').getByText('teamMembership').first().waitFor()
  const { local, session } = await kept(page)
  expect(local).toEqual({})
  expect(session.split(server.adminToken).length - 1).toBe(1)
  expect(page.url()).not.toContain(server.adminToken)
  expect(faults).toEqual([])

  await page.clock.install()
  const { count, release } = await holdRequests(page, '**/graphql', 'query Mine')
  await page.locator('button.graphiql-execute-button').click()
  await expect.poll(count).toBe(1)
  await page.clock.runFor(30_000)
  await expect.poll(() => answer.innerText()).toMatch(/Try\sagain/)
  release()

  await page.getByRole('link', { name: 'Playground' }).click()
  await page.waitForURL('**/playground')
  await page.context().close()
})

test('GraphiQL opened again shows the query that was open, also if nobody changed it', async () => {
  const { page, faults } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken)
  await openGraphiql(page, 2)
  const query = page.locator('.graphiql-query-editor')
  await query.getByText('accountCode').waitFor()
  await expect.poll(async () => (await kept(page)).session).toContain('tabState')
  await openGraphiql(page, 2)
  await query.getByText('accountCode').waitFor()
  expect(await page.locator('.graphiql-tab').count()).toBe(1)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a subscription in GraphiQL follows changes with the token of the tab', async () => {
  const { page } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken)
  await openGraphiql(page, 2)
  await typeQuery(page, 'subscription { teamMembershipChanged { after { userId } } }')
  const opened = page.waitForResponse(answer => /event-stream/.test(answer.headers()['content-type'] ?? ''))
  await page.locator('button.graphiql-execute-button').click()
  expect((await opened).status()).toBe(200)
  await addMembership(server, { user_id: 4_711, team_id: 5 })
  await expect.poll(() => page.locator('.result-window').innerText()).toMatch(/"userId":\s*"4711"/)
  await page.context().close()
})

test('GraphiQL that the browser kept has no answer and no token of somebody who has signed out', async () => {
  const { page } = await openTab(browser, server.baseUrl)
  await signIn(page, server.adminToken)
  await openGraphiql(page, 2)
  const asked = watchRequests(page)
  await page.locator('button.graphiql-execute-button').click()
  const answer = page.locator('.result-window')
  await expect.poll(() => answer.innerText()).toContain(server.account)
  // A browser that is driven keeps no page, so the test says to the page what another browser would.
  const comeBack = () => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  await page.evaluate(comeBack)
  expect(await answer.innerText()).toContain(server.account)
  await page.evaluate(() => sessionStorage.removeItem('rostrum.session'))
  asked.splice(0)
  await page.evaluate(comeBack)
  await expect.poll(() => answer.innerText()).toMatch(/Sign\sin\sfirst/)
  await page.locator('button.graphiql-execute-button').click()
  expect(asked).toEqual([])
  await page.context().close()
})

test('without a session GraphiQL sends nothing, says how to sign in, and comes back after it', async () => {
  const { page } = await openTab(browser, server.baseUrl)
  const asked = watchRequests(page)
  await openGraphiql(page, 2)
  await expect.poll(() => page.locator('.result-window').innerText()).toMatch(/Sign\sin\sfirst/)
  expect(asked).toEqual([])
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Token').fill(server.adminToken)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/graphql*')
  await expect.poll(() => asked.length).toBeGreaterThan(0)
  expect(asked.filter(({ status }) => status !== 200)).toEqual([])
  expect((await kept(page)).local).toEqual({})
  await page.context().close()
})
