import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { secret, signHmac } from '../credentials/sign-jwt.ts'
import { startServer, type TestServer } from '../server/gateways/start-server.ts'
import { openBrowser, openTab, signIn } from './open-browser.ts'
import { field, textOf, write } from './playground.ts'

let server: TestServer
let browser: Browser

beforeAll(async () => {
  server = await startServer({ ROSTRUM_JWT_SECRET: secret })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.stop()
})

async function changeTo(page: Page, token: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signIn(page, token)
  await field(page, 'Script').waitFor()
}

const graphiqlQuery = (page: Page) => page.locator('.graphiql-editor:visible').first()

test('people whose JWTs have neither an integer `sub` nor an e-mail address see only what is theirs', async () => {
  const [alice, zoe] = await Promise.all(['alice', 'zoé'].map(sub => signHmac({ sub, account: 'owners' })))
  if (alice === undefined || zoe === undefined) expect.unreachable()
  const { page, faults } = await openTab(browser, server.baseUrl)
  await signIn(page, alice)
  await field(page, 'Script').waitFor()
  await write(page, 'Script', 'exit("of Alice")')
  await page.getByText('Draft saved').waitFor()
  await page.goto('/graphql')
  await graphiqlQuery(page).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('query OfAlice { viewer { scopes } }')
  await expect
    .poll(() => page.evaluate(() => JSON.stringify({ ...sessionStorage })))
    .toContain('query OfAlice')

  await page.goto('/playground')
  await changeTo(page, zoe)
  expect(await textOf(page, 'Script')).not.toContain('of Alice')
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByText('No drafts').waitFor()
  await page.keyboard.press('Escape')
  await page.goto('/graphql')
  await graphiqlQuery(page).getByText('viewer').waitFor()
  expect(await graphiqlQuery(page).innerText()).not.toContain('OfAlice')

  await page.goto('/playground')
  await changeTo(page, await signHmac({ sub: 'alice', account: 'owners', name: 'Alice' }))
  await expect.poll(() => textOf(page, 'Script')).toBe('exit("of Alice")')
  expect(faults).toEqual([])
  await page.context().close()
})

test('what one person opens in the playground from a run is not shown to another in the same tab', async () => {
  const scopes = ['runs:read', 'tasks:execute'] as const
  const alice = await server.token({ account: 'opened', scopes })
  const zoe = await server.token({ account: 'opening', scopes })
  const { body } = await server.execute(
    { name: 'private', sourceCode: '// of Alice\nexit(1)' },
    { token: alice },
  )
  const { page } = await openTab(browser, server.baseUrl)
  const open = async (): Promise<void> => {
    await page.goto(`/runs/${body.task_execution.id}`)
    // The gateway is away for a moment.
    await page.route('**/playground', route => route.fulfill({ status: 503, body: 'away' }))
    await page.getByRole('button', { name: 'Open in playground' }).click()
    await page.waitForURL('**/playground')
    await page.unroute('**/playground')
    await page.goto('/login')
    expect(await page.evaluate(() => sessionStorage.getItem('rostrum.open'))).toContain('of Alice')
  }
  const enter = async (token: string): Promise<void> => {
    await signIn(page, token)
    await field(page, 'Script').waitFor()
  }
  await enter(alice)
  await open()
  await enter(zoe)
  await page.getByText('Types ready').waitFor()
  expect(await textOf(page, 'Script')).not.toContain('of Alice')
  expect(await page.evaluate(() => sessionStorage.getItem('rostrum.open'))).toBeNull()

  await enter(alice)
  await open()
  await page.goto('/cases')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Token').waitFor()
  expect(await page.evaluate(() => ({ ...sessionStorage }))).not.toHaveProperty('rostrum.open')
  await page.context().close()
})

test('Escape on a case does not lead to the list that another person saw in the same tab', async () => {
  const tokens = [await server.token({ account: 'listing' }), await server.token({ account: 'listed' })]
  const [alice = '', zoe = ''] = tokens
  const body = { case: { case_type_code: 'plan-of-alice', data: {} } }
  await server.rest('POST', '/platform/cases', { body, token: alice })
  const { page } = await openTab(browser, server.baseUrl)
  const openCase = async (): Promise<void> => {
    await page.goto('/cases?type=plan-of-alice')
    await page.getByRole('link', { name: /^Case / }).click()
    await page.waitForURL('**/cases/1')
    await page.getByLabel('Data', { exact: true }).waitFor()
  }
  await signIn(page, alice)
  await openCase()
  await page.keyboard.press('Escape')
  await page.waitForURL('**/cases?type=plan-of-alice')
  await openCase()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Token').waitFor()
  await signIn(page, zoe)
  await page.goto('/cases/1')
  await page.getByRole('alert').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL(/\/cases(\?|$)/)
  expect(new URL(page.url()).search).toBe('')
  await page.context().close()
})

test('a draft that was stored under the user and the e-mail address of a person stays found', async () => {
  const token = await signHmac({ sub: '7', account: 'owners', email: 'ann@example.com' })
  const { page, faults } = await openTab(browser, server.baseUrl, { hasTypes: false })
  await signIn(page, token)
  await page.evaluate(() => {
    const owner = JSON.stringify(['owners', '7', 'ann@example.com'])
    const fields = { script: 'exit("earlier")', input: '{}', options: '{}', function: null, cursor: 0 }
    localStorage.setItem('rostrum.draft.1', JSON.stringify({ ...fields, id: '1', owner, at: 1 }))
  })
  await page.reload()
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'exit("earlier")' }).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('a person finds the draft again with another e-mail address', async () => {
  const tokenOf = (email: string) => signHmac({ sub: '8', account: 'owners', email })
  const { page } = await openTab(browser, server.baseUrl, { hasTypes: false })
  await signIn(page, await tokenOf('ann@example.com'))
  await write(page, 'Script', 'exit("of Ann")')
  await page.getByText('Draft saved').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signIn(page, await tokenOf('anne@example.com'))
  await page.getByRole('button', { name: 'Drafts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'exit("of Ann")' }).waitFor()
  await page.context().close()
})
