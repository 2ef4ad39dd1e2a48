import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { untilReady } from '../../faults/replicas/until-ready.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { findFreePort } from '../../server/processes/free-port.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { holdRequests } from '../hold-requests.ts'
import { enter, expireToken, openBrowser, signInAgain } from '../open-browser.ts'
import { field, openPlayground, textOf, write } from '../playground.ts'

const folder = makeTempFolder()
let settings: Readonly<Record<string, string>>
let server: TestServer
let browser: Browser

beforeAll(async () => {
  settings = {
    PORT: String(await findFreePort()),
    DATABASE_URL: `sqlite:${join(folder.path, 'rostrum.db')}`,
    ROSTRUM_SANDBOXES: '1',
    ROSTRUM_QUEUE_WAIT_MS: '200',
    // A script runs until its test has seen what it is there for.
    ROSTRUM_TASK_CPU_MS: '60000',
    ROSTRUM_TASK_TIMEOUT_MS: '90000',
    ROSTRUM_TASK_GRAPHQL_CALLS: '10000',
  }
  server = await startServer(settings)
  browser = await openBrowser()
})
beforeEach(untilFree)
afterAll(async () => {
  await browser.close()
  await server.stop()
  folder.remove()
})

// The one sandbox is replaced once the gateway has noticed that its run was stopped. A run waits only 200 ms for it.
async function untilFree(): Promise<void> {
  const body = { query: '{ runs(first: 10) { nodes { state } } }' }
  await expect
    .poll(async () => (await server.rest('POST', '/graphql', { body })).text)
    .not.toContain('RUNNING')
  await untilReady(server.baseUrl)
}

const busy =
  'log("begun"); for (;;) { for (let t = Date.now(); Date.now() - t < 20;); await graphql("{ viewer { userId } }") }'
const status = (page: Page, text: RegExp) => page.getByRole('status').filter({ hasText: text })
const alert = (page: Page, text: string | RegExp) =>
  page.getByRole('alert').filter({ hasText: text }).waitFor()
// The status is `running` before the gateway has the run.
async function hasBegun(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Logs' }).click()
  await page.getByRole('tabpanel').getByText('begun').waitFor()
}

test('a run that is refused says why, and the script stays', async () => {
  const { page } = await openPlayground(browser, server)
  await write(page, 'Script', 'exit(1)')
  const other = await page.context().newPage()
  await enter(other, server.adminToken)
  await write(other, 'Script', busy)
  await other.keyboard.press('Control+Enter')
  await hasBegun(other)
  await page.keyboard.press('Control+Enter')
  await alert(page, /wait|try again|later|busy/i)
  await status(page, /not run/).waitFor()
  await other.keyboard.press('Escape')
  await status(other, /stopped/).waitFor()
  // The next sandbox takes a moment to start.
  const runAgain = async () => {
    await page.keyboard.press('Control+Enter')
    await status(page, /not run|exit/).waitFor()
    return status(page, /exit/).count()
  }
  await expect.poll(runAgain).toBe(1)

  const large = `exit(1) // ${'x'.repeat(2_200_000)}`
  await field(page, 'Script').evaluate((own, text) => {
    const root = own.getRootNode() as ShadowRoot
    ;(root.host as HTMLElement & { open(text: string): void }).open(text)
  }, large)
  await page.getByRole('button', { name: 'Run' }).click()
  await alert(page, 'larger than')
  await page.context().close()
})

test('a run to which a proxy answers is not said to have never begun', async () => {
  const { page } = await openPlayground(browser, server)
  await write(page, 'Script', 'exit(1)')
  await page.route('**/execute', route => route.fulfill({ status: 504, body: '<h1>Gateway Timeout</h1>' }))
  await field(page, 'Script').press('Control+Enter')
  await alert(page, 'The answer (status 504) does not come from the gateway, so the script may have run.')
  await status(page, /no answer/).waitFor()
  await page.context().close()
})

test('a token that is refused leads to the login and back to the same draft and what was typed', async () => {
  const { page } = await openPlayground(browser, server)
  await write(page, 'Script', 'exit("still here")')
  await expireToken(page)
  await page.keyboard.press('Control+S')
  await page.getByLabel('Name').fill('kept')
  await page.getByLabel('Comment').fill('as typed')
  await page.keyboard.press('Enter')
  await signInAgain(page, server.adminToken)
  await expect.poll(() => textOf(page, 'Script')).toBe('exit("still here")')
  await page.getByRole('button', { name: 'Save' }).click()
  expect(await page.getByLabel('Name').inputValue()).toBe('kept')
  expect(await page.getByLabel('Comment').inputValue()).toBe('as typed')
  await page.keyboard.press('Escape')
  await field(page, 'Script').click()
  await page.keyboard.press('Control+Enter')
  await status(page, /exit/).waitFor()
  await page.context().close()
})

test('logs come while the script runs, and Escape or the button stops it', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const stop = page.getByRole('button', { name: 'Stop' })
  expect(await stop.isDisabled()).toBe(true)
  await write(page, 'Script', busy)
  await page.keyboard.press('Control+Enter')
  await status(page, /^\s*running\s*$/).waitFor()
  await page.getByRole('tab', { name: 'Logs' }).click()
  await page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: 'begun' }).waitFor()
  expect(await status(page, /running/).count()).toBe(1)
  await stop.click()
  await status(page, /stopped/).waitFor()
  expect(await stop.isDisabled()).toBe(true)
  await untilFree()
  await field(page, 'Script').click()
  await page.keyboard.press('Control+Enter')
  await status(page, /running/).waitFor()
  // An open menu closes first.
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'hidden' })
  expect(await status(page, /^\s*running\s*$/).count()).toBe(1)
  await page.keyboard.press('Escape')
  await status(page, /stopped/).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('a run that goes on while another script is opened says that it is of the one before', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const note = page.getByText('of the script that was open before')
  await write(page, 'Script', busy)
  await page.keyboard.press('Control+Enter')
  await hasBegun(page)
  expect(await note.count()).toBe(0)
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem', { name: 'Add up an order' }).click()
  await note.waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await status(page, /stopped/).waitFor()
  expect(await note.count()).toBe(1)
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('menuitem', { name: 'Find a mistake' }).click()
  await note.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
  await page.context().close()
})

test('a run that ends while “Stop” has the focus leaves it there', async () => {
  const { page, faults } = await openPlayground(browser, server)
  const stop = page.getByRole('button', { name: 'Stop' })
  await write(page, 'Script', 'for (const end = Date.now() + 2_000; Date.now() < end; ) {}\nexit(1)')
  await page.keyboard.press('Control+Enter')
  await status(page, /running/).waitFor()
  await stop.focus()
  await status(page, /exit/).waitFor()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('stop')
  expect(await stop.isDisabled()).toBe(true)
  expect(faults).toEqual([])
  await page.context().close()
})

test('a gateway that is killed during a run is said so, and the draft runs on the next one', async () => {
  const { page } = await openPlayground(browser, server)
  await write(page, 'Script', busy)
  await page.keyboard.press('Control+Enter')
  await hasBegun(page)
  await server.kill()
  await alert(page, 'The connection to the gateway broke before the run ended.')
  await write(page, 'Script', 'exit("again")')
  await page.keyboard.press('Control+Enter')
  await alert(page, 'The gateway cannot be reached.')
  server = await startServer(settings)
  await page.reload()
  await expect.poll(() => textOf(page, 'Script')).toBe('exit("again")')
  await field(page, 'Script').click()
  await page.keyboard.press('Control+Enter')
  await status(page, /exit/).waitFor()
  await page.context().close()
})

test('a run of which nothing comes any more is said to be lost', async () => {
  const { page } = await openPlayground(browser, server)
  await write(page, 'Script', busy)
  await page.clock.install()
  const runs = await holdRequests(page, '**/execute')
  await page.keyboard.press('Control+Enter')
  await expect.poll(runs.count).toBe(1)
  await page.clock.runFor(610_000)
  await alert(page, 'The gateway cannot be reached.')
  runs.release()
  await page.keyboard.press('Control+Enter')
  await hasBegun(page)
  // The last 10 s are a second timer. A comment of the stream between the two jumps starts the wait again.
  const broke = page.getByRole('alert').filter({ hasText: 'The connection to the gateway broke' })
  const isLost = async () => {
    await page.clock.fastForward(80_000)
    await page.clock.fastForward(10_000)
    return broke.count()
  }
  await expect.poll(isLost).toBe(1)
  await page.context().close()
})
