import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { holdRequests, loseFirstAnswer } from './hold-requests.ts'
import { enter, openTab, type WatchedTab } from './open-browser.ts'
import { startBrowsing } from './start-browsing.ts'

const { server, browser, open } = await startBrowsing()

interface Refusal {
  readonly status: number
  readonly code: string
  readonly reason?: string
  readonly shown: string
}

/**
 * Opens a page that loses the answer of its first mutation: that of a proxy that gave up comes in its place. The second
 * one may be refused.
 */
async function openLosing(path: string, refusal: Refusal | null = null): Promise<WatchedTab> {
  const tab = await openTab(browser, server.baseUrl, { hasTypes: false })
  const { page } = tab
  await enter(page, server.adminToken, path)
  let sent = 0
  await page.route('**/graphql', async route => {
    if (!route.request().postData()?.includes('mutation')) return route.continue()
    sent++
    if (sent === 1) {
      await route.fetch()
      return route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Gateway Timeout</h1>' })
    }
    if (sent > 2 || refusal === null) return route.continue()
    const { status, code, reason } = refusal
    await route.fulfill({
      status,
      json: { errors: [{ message: 'as the gateway says it', extensions: { code, reason } }] },
    })
  })
  return tab
}

async function pressTwice(page: Page, name: string): Promise<void> {
  const button = page.getByRole('dialog').getByRole('button', { name })
  await button.click()
  await page.getByRole('alert').waitFor()
  await button.click()
}

async function read<Data>(query: string): Promise<Data | null> {
  return (await server.graphql<Data & object>(query)).body.data ?? null
}

test('“Create” again after a lost answer creates no other case', async () => {
  const { page } = await openLosing('/cases')
  await page.getByRole('button', { name: 'New case' }).click()
  await page.getByLabel('Case type').fill('lost')
  await pressTwice(page, 'Create')
  await page.waitForURL('**/cases/*')
  const found = await read<{ cases: { nodes: object[] } }>(
    '{ cases(first: 9, filter: { caseTypeCode: "lost" }) { nodes { id } } }',
  )
  expect(found?.cases.nodes.length).toBe(1)
  await page.context().close()
})

test.for<Refusal>([
  { status: 409, code: 'CONFLICT', reason: 'RUNNING', shown: 'This is still being done.' },
  { status: 429, code: 'OVERLOADED', shown: 'as the gateway says it' },
])('a refusal of the second “Create” with $status lets the third create no other case', async refusal => {
  const { page } = await openLosing('/cases', refusal)
  const caseTypeCode = `refused-${refusal.status}`
  await page.getByRole('button', { name: 'New case' }).click()
  await page.getByLabel('Case type').fill(caseTypeCode)
  await pressTwice(page, 'Create')
  await page.getByText(refusal.shown).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/cases/*')
  const found = await read<{ cases: { nodes: object[] } }>(
    `{ cases(first: 9, filter: { caseTypeCode: "${caseTypeCode}" }) { nodes { id } } }`,
  )
  expect(found?.cases.nodes.length).toBe(1)
  await page.context().close()
})

test('“Save” again after a lost answer opens the function, and blames nobody else', async () => {
  const { page } = await openLosing('/playground')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByLabel('Name').fill('lost')
  await pressTwice(page, 'Save')
  await page.getByText('Saved: this version is live').waitFor()
  await page.waitForURL('**/playground?function=*')
  await page.context().close()
})

async function saveFunction(name: string): Promise<string | undefined> {
  const { body } = await server.graphql<{ saveFunction: { id: string } }>(
    'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }',
    { input: { name, sourceCode: 'exit(payload)' } },
  )
  return body.data?.saveFunction.id
}

async function countHooks(functionId: string | undefined): Promise<number | undefined> {
  return (await read<{ hooks: object[] }>(`{ hooks(functionId: "${functionId}") { id } }`))?.hooks.length
}

test('“Add” again after a lost answer adds one hook', async () => {
  const id = await saveFunction('hooked')
  const { page } = await openLosing(`/functions/${id}`)
  await page.getByRole('button', { name: 'Add hook' }).click()
  await page.getByLabel('Case type').fill('hooked')
  await pressTwice(page, 'Add')
  await page.getByText('The hook was added.').waitFor()
  expect(await countHooks(id)).toBe(1)
  await page.context().close()
})

test('“Add” again after a lost answer adds one webhook, and leads to a secret of it', async () => {
  const id = await saveFunction('webhooked')
  const { page } = await openLosing(`/functions/${id}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByLabel('Name').fill('lost')
  await pressTwice(page, 'Add')
  const lost = dialog.getByText(
    'lost has a secret, but it was in the answer that was lost. Make another one.',
  )
  await lost.waitFor()
  await dialog.getByText('New secret of lost?').waitFor()

  await loseFirstAnswer(page, 'RotateSecret')
  const make = dialog.getByRole('button', { name: 'New secret' })
  await make.click()
  await dialog.getByText('The gateway cannot be reached.').waitFor()
  await make.click()
  await lost.waitFor()
  await make.click()
  expect(await dialog.getByLabel('New secret').inputValue()).toMatch(/^whsec_/)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('list', { name: 'Webhooks' }).getByText('lost', { exact: true }).waitFor()
  await page.context().close()
})

test('a lost request with a secret that was typed is forgotten once its dialog closes', async () => {
  const { page } = await openTab(browser, server.baseUrl)
  await enter(page, server.adminToken, `/functions/${await saveFunction('typed')}`)
  await loseFirstAnswer(page, 'SaveWebhook')
  const keys = new Set<string | undefined>()
  page.on('request', request => {
    if (request.postData()?.includes('SaveWebhook')) keys.add(request.headers()['idempotency-key'])
  })
  const dialog = page.getByRole('dialog')
  for (const message of ['The gateway cannot be reached.', 'typed']) {
    await page.getByRole('button', { name: 'Add webhook' }).click()
    await dialog.getByLabel('Name').fill('typed')
    await dialog.getByLabel('Secret of the sender').fill(`whsec_${btoa('k'.repeat(32))}`)
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByRole('alert').getByText(message).waitFor()
    await page.keyboard.press('Escape')
  }
  expect(keys.size).toBe(2)
  await page.context().close()
})

test('what a version changed and what runs a function are loaded again, each by one button', async () => {
  const id = await saveFunction('unheard')
  const tab = await open('/cases')
  const { page } = tab
  let isLost = true
  const lost = /ListHooks|ListTasks|ListWebhooks|ReadSources/
  await page.route('**/graphql', route =>
    isLost && lost.test(route.request().postData() ?? '') ? route.abort() : route.fallback(),
  )
  await page.goto(`/functions/${id}`)
  await expect.poll(() => page.getByText('Not loaded.').count()).toBe(3)
  const again = page.getByRole('alert').getByRole('button', { name: 'Try again' })
  await expect.poll(() => again.count()).toBe(2)
  isLost = false
  await again.first().click()
  await page.getByRole('region', { name: 'Difference' }).getByText('+exit(payload)').waitFor()
  expect(await again.count()).toBe(1)
  await again.click()
  await page.getByText('A hook runs it whenever').waitFor()
  await page.context().close()
})

test('a hook that was added without an answer, and removed, can be added again', async () => {
  const id = await saveFunction('removed')
  await server.graphql('mutation($input: SaveHookInput!) { saveHook(input: $input) { id } }', {
    input: { event: 'POST_SAVE', caseTypeCode: 'other', functionId: id, scopes: [] },
  })
  const { page } = await openLosing(`/functions/${id}`)
  const dialog = page.getByRole('dialog')
  const add = async () => {
    await page.getByRole('button', { name: 'Add hook' }).click()
    await page.getByLabel('Case type').fill('removed')
    await dialog.getByRole('button', { name: 'Add' }).click()
  }
  await add()
  await page.getByRole('alert').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const hooks = page.getByRole('list', { name: 'Hooks' }).getByRole('listitem')
  // The list shows the new hook once it is read again.
  for (const caseTypeCode of ['other', 'removed']) {
    const hook = hooks.filter({ hasText: caseTypeCode })
    await hook.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await hook.waitFor({ state: 'detached' })
  }
  await add()
  await page.getByText('The hook was added.').waitFor()
  expect(await countHooks(id)).toBe(1)
  await page.context().close()
})

test('“Roll back” again after a lost answer says that the version is live', async () => {
  const id = await saveFunction('rolled')
  await server.graphql('mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    input: { name: 'rolled', sourceCode: 'exit(2)' },
  })
  const tab = await open(`/functions/${id}`)
  const { page } = tab
  const rollBack = page.getByRole('button', { name: 'Roll back' })
  await rollBack.waitFor()
  await loseFirstAnswer(page, 'RollBack')
  await rollBack.click()
  await page.getByRole('alert').getByText('The gateway cannot be reached.').waitFor()
  await rollBack.click()
  await page.getByText(/^Version [0-9a-f]{8} is live.$/).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.context().close()
})

test('“Replay” again after a lost answer opens the first replay', async () => {
  const { body } = await server.execute({ name: 'replayed', sourceCode: 'exit(1)' })
  const { page } = await openLosing(`/runs/${body.task_execution.id}`)
  const replay = page.getByRole('button', { name: 'Replay', exact: true })
  await replay.click()
  await page.getByRole('alert').waitFor()
  await replay.click()
  await page.getByText('Replay of').waitFor()
  const isListed = async () => {
    const found = await read<{ runs: { nodes: object[] } }>('{ runs(first: 9) { nodes { id } } }')
    return found?.runs.nodes.length
  }
  await expect.poll(isListed).toBe(2)
  await page.context().close()
})

test.each(['/functions', '/functions/1', '/cases', '/cases/1', '/members?team=3', '/playground?function=1'])(
  'where the first answer of %s is lost, a button loads the page again',
  async path => {
    const tab = await open('/runs')
    const { page } = tab
    await page.route('**/graphql', route => route.abort())
    await page.goto(path)
    await page.getByRole('alert').getByText('The gateway cannot be reached.').waitFor()
    await page.unroute('**/graphql')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The gateway cannot be reached.').waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await page.context().close()
  },
)

test('after a sleep of the computer, a page shows the answer that came meanwhile', async () => {
  const { page } = await openTab(browser, server.baseUrl)
  await page.clock.install()
  await enter(page, server.adminToken, '/functions')
  const listed = await holdRequests(page, '**/graphql', 'ListFunctions(')
  await page.reload()
  await expect.poll(listed.count).toBe(1)
  await page.clock.fastForward('08:00:00')
  listed.release()
  await page.getByRole('list', { name: 'Functions' }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.context().close()
})

test('a page says that no answer comes, and a second “Create” after that creates no other case', async () => {
  const { page } = await openTab(browser, server.baseUrl)
  await page.clock.install()
  await enter(page, server.adminToken, '/cases')
  const listed = await holdRequests(page, '**/graphql', 'ListCases(')
  await page.reload()
  await expect.poll(listed.count).toBe(1)
  await page.clock.runFor(30_000)
  await page.getByRole('alert').getByText('The gateway does not answer. Try again.').waitFor()
  listed.release()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'New case' }).click()
  await page.getByLabel('Case type').fill('silent')
  let isFirst = true
  await page.route('**/graphql', async route => {
    if (!isFirst || !route.request().postData()?.includes('CreateCase(')) return route.fallback()
    isFirst = false
    await route.fetch()
    await page.clock.runFor(60_000)
  })
  await pressTwice(page, 'Create')
  await page.waitForURL('**/cases/*')
  const found = await read<{ cases: { nodes: object[] } }>(
    '{ cases(first: 9, filter: { caseTypeCode: "silent" }) { nodes { id } } }',
  )
  expect(found?.cases.nodes.length).toBe(1)
  await page.context().close()
})
