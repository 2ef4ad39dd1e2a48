import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { holdRequests } from '../hold-requests.ts'
import { findBarriers, isInView } from '../open-browser.ts'
import { close, startBrowsing } from '../start-browsing.ts'

const { server, open } = await startBrowsing()

async function save(name: string, sourceCode: string, comment = ''): Promise<string> {
  const { body } = await server.graphql<{ saveFunction: { id: string } }>(
    'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }',
    { input: { name, sourceCode, comment } },
  )
  return body.data?.saveFunction.id ?? expect.unreachable()
}

const versionsOf = (page: Page) =>
  page
    .getByRole('table', { name: 'Versions' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })

async function readDifference(page: Page): Promise<string[]> {
  const text = await page.getByRole('region', { name: 'Difference' }).innerText()
  return text.split('\n').filter(line => /^[+-]/.test(line))
}

test('the list says what to do when it is empty, and finds functions by a part of their name', async () => {
  const tab = await open('/functions')
  const { page } = tab
  await page.getByText('No functions yet').waitFor()
  expect(await findBarriers(page)).toEqual([])
  const id = await save('find-me', 'exit(1)')
  await save('other', 'exit(1)')
  await save('also', 'exit(1)')
  await page.reload()
  await page.getByRole('link', { name: 'other' }).waitFor()
  expect(await page.locator('a[data-row]').allInnerTexts()).toEqual(['also', 'find-me', 'other'])
  // The token has no e-mail address.
  expect(await page.getByText('by you').count()).toBe(3)
  await page.keyboard.press('/')
  await page.keyboard.type('find')
  await page.getByRole('link', { name: 'other' }).waitFor({ state: 'detached' })
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('link', { name: 'find-me' }).click()
  await page.waitForURL(`**/functions/${id}`)
  await page.getByRole('heading', { level: 1, name: 'find-me' }).waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL('**/functions?text=find')
  await page.getByRole('link', { name: 'New' }).click()
  await page.waitForURL('**/playground')
  await page.getByText('A new script').waitFor()
  await close(tab)
})

test('a search says that nothing fits only once all functions are loaded', async () => {
  await save('first-page', 'exit(1)')
  const tab = await open('/cases')
  const { page } = tab
  const next = await holdRequests(page, '**/graphql', '"after":"')
  let isFirst = true
  await page.route('**/graphql', async route => {
    if (!isFirst || !route.request().postData()?.includes('ListFunctions')) return route.fallback()
    isFirst = false
    const answer = await route.fetch()
    const body = await answer.json()
    body.data.functions.pageInfo = { hasNextPage: true, endCursor: body.data.functions.pageInfo.endCursor }
    await route.fulfill({ response: answer, json: body })
  })
  await page.goto('/functions?text=nothing')
  await expect.poll(next.count).toBe(1)
  await page.getByText('Loading…').waitFor()
  expect(await page.getByText('No function has this name').count()).toBe(0)
  next.release()
  await page.getByText('No function has this name').waitFor()
  await close(tab)
})

test('versions are newest first, each shows what it changed, and one is made live again', async () => {
  const id = await save('versions', 'const a = 1\nexit(a)', 'The <b>first</b>')
  await save('versions', 'const a = 2\nexit(a)', 'second')
  const tab = await open(`/functions/${id}`)
  const { page } = tab
  const rows = versionsOf(page)
  await rows.nth(1).waitFor()
  expect(await rows.nth(0).innerText()).toContain('live')
  expect(await rows.nth(1).innerText()).toContain('The <b>first</b>')
  await expect.poll(() => readDifference(page)).toEqual(['-const a = 1', '+const a = 2'])
  await rows.nth(1).getByRole('button', { pressed: false }).first().click()
  await expect.poll(() => readDifference(page)).toEqual(['+const a = 1', '+exit(a)'])
  expect(await findBarriers(page)).toEqual([])
  let requests = 0
  page.on('request', request => {
    if (request.postData()?.includes('mutation RollBack(')) requests += 1
  })
  const twice = (button: HTMLElement) => {
    button.click()
    button.click()
  }
  const change = await holdRequests(page, '**/graphql', 'mutation RollBack(')
  await rows.nth(1).getByRole('button', { name: 'Roll back' }).evaluate(twice)
  await page.getByRole('status').getByText('live…').waitFor()
  change.release()
  await expect.poll(() => rows.nth(1).innerText()).toContain('live')
  expect(await rows.nth(1).getByRole('button', { name: 'Roll back' }).count()).toBe(0)
  await rows.nth(0).getByRole('button', { name: 'Roll back' }).waitFor()
  expect(requests).toBe(1)
  await page.getByRole('link', { name: 'Open in playground' }).click()
  await page.waitForURL(`**/playground?function=${id}`)
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Script', exact: true }).innerText())
    .toContain('const a = 1')
  await close(tab)
})

test('a version that became live meanwhile stays live, and a row shows what its own version changed', async () => {
  const id = await save('raced', 'exit(1)')
  await save('raced', 'exit(2)')
  const tab = await open(`/functions/${id}`)
  const { page } = tab
  const rows = versionsOf(page)
  await expect.poll(() => readDifference(page)).toEqual(['-exit(1)', '+exit(2)'])
  await save('raced', 'exit("hotfix")')
  await rows.nth(1).getByRole('button', { name: 'Roll back' }).click()
  await page.getByRole('alert').getByText('Nothing was changed: another version has become live').waitFor()
  await rows.nth(2).waitFor()
  expect(await page.getByText('live…').count()).toBe(0)
  expect(await rows.nth(0).innerText()).toContain('live')
  await expect.poll(() => readDifference(page)).toEqual(['-exit(2)', '+exit("hotfix")'])

  await save('raced', 'exit(4)')
  await rows.nth(0).getByRole('button', { pressed: true }).click()
  await page.getByText('The versions changed meanwhile.').waitFor()
  await expect.poll(() => readDifference(page)).toEqual(['-exit(2)', '+exit("hotfix")'])
  expect(await rows.nth(1).getByRole('button', { pressed: true }).count()).toBe(1)
  expect(await rows.nth(0).innerText()).toContain('live')
  await close(tab)
})

test('characters that make code look like other code are marked', async () => {
  await save('disguised', 'const isAdmin = false\nexit(1)')
  const disguised =
    '/*\u202e } \u2066if (isAdmin)\u2069 \u2066 only admins */ exit("\u{1f468}\u200d\u{1f467} all\u200b")'
  const id = await save('disguised', `const isAdmin = false\n${disguised}`, 'tidy \u202eup')
  const tab = await open(`/functions/${id}`)
  const { page } = tab
  const shown =
    '/*U+202E } U+2066if (isAdmin)U+2069 U+2066 only admins */ exit("\u{1f468}\u200d\u{1f467} allU+200B")'
  await expect.poll(() => readDifference(page)).toEqual(['-exit(1)', `+${shown}`])
  expect(await versionsOf(page).first().innerText()).toContain('tidy U+202Eup')
  expect(await findBarriers(page)).toEqual([])

  const { body } = await server.execute({ sourceCode: disguised })
  await page.goto(`/runs/${body.task_execution.id}`)
  await page.getByRole('region', { name: 'Script' }).getByText(shown).waitFor()
  await page.getByRole('region', { name: 'Result' }).getByText('allU+200B').waitFor()
  await close(tab)
})

const stored = async (page: Page, secret: string): Promise<boolean> =>
  (await page.content()).includes(secret) ||
  (
    await page
      .locator('input, textarea')
      .evaluateAll(fields => fields.map(field => (field as HTMLInputElement).value))
  ).includes(secret)

test('a secret is lost by no key or button, wraps on a narrow screen, and is made again after a question', async () => {
  const id = await save('secretive', 'exit(payload)')
  const tab = await open(`/functions/${id}`)
  const { page } = tab
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByLabel('Secret of the sender').fill('typed and cancelled')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  // The dialog says that it was closed a moment after the press.
  await expect.poll(() => stored(page, 'typed and cancelled')).toBe(false)

  await page.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByLabel('Name').fill('kept')
  const saving = await holdRequests(page, '**/graphql', 'SaveWebhook')
  await page.keyboard.press('Enter')
  await expect.poll(saving.count).toBe(1)
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Cancel' }).click({ force: true })
  saving.release()
  const field = dialog.getByLabel('New secret')
  const secret = await field.inputValue()
  for (const key of ['Escape', 'Escape', 'Enter']) await page.keyboard.press(key)
  expect(await page.evaluate(() => String(getSelection()))).toBe(secret)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(
    await field.evaluate(box => box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight),
  ).toBe(true)
  expect(await findBarriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'New secret' }).click()
  await dialog.getByText('New secret of kept?').waitFor()
  await dialog.getByLabel('Earlier secrets').selectOption('End at once')
  expect(await findBarriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'New secret' }).click()
  const next = await field.inputValue()
  expect(next).toMatch(/^whsec_/)
  expect(next).not.toBe(secret)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('kept has a new secret.').waitFor()
  await expect.poll(() => stored(page, next)).toBe(false)
  await close(tab)
})

test('hooks, tasks and webhooks are added, switched off and removed, and a secret is shown once', async () => {
  const id = await save('triggered', 'exit(payload)')
  const tab = await open(`/functions/${id}`)
  const { page } = tab
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add hook' }).click()
  await dialog.getByLabel('Event').selectOption('POST_SAVE')
  await dialog.getByLabel('Case type').fill('incident')
  await dialog.getByLabel('cases:read').check()
  expect(await findBarriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add' }).click()
  const hook = page.getByRole('list', { name: 'Hooks', exact: true }).getByRole('listitem')
  await hook.getByText('After each save of incident').waitFor()
  await hook.getByText('cases:read').waitFor()
  await hook.getByRole('button', { name: 'Switch off' }).click()
  await hook.getByRole('button', { name: 'Switch on' }).waitFor()
  const { body } = await server.graphql('{ hooks(caseTypeCode: "incident") { enabled event scopes } }')
  expect(body.data).toEqual({ hooks: [{ enabled: false, event: 'POST_SAVE', scopes: ['cases:read'] }] })

  await page.getByRole('button', { name: 'Add task' }).click()
  await dialog.getByLabel('Name').fill('not a name')
  await dialog.getByLabel('Case type').fill('incident')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Name').fill('Escalate')
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'Tasks' }).getByText('Escalate on incident').waitFor()

  await page.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByLabel('Name').fill('paid')
  expect(await dialog.getByLabel('Answer').inputValue()).toBe('QUEUED')
  await dialog.getByRole('button', { name: 'Add' }).click()
  const secret = await dialog.getByLabel('New secret').inputValue()
  expect(secret).toMatch(/^whsec_/)
  await dialog.getByRole('button', { name: 'Done' }).click()
  expect(await page.content()).not.toContain(secret)
  const webhook = page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem')
  await webhook.getByText(`/api/1/webhook/${server.account}/paid`).first().waitFor()
  await webhook.getByText('Example for the sender').click()
  expect(await webhook.innerText()).toContain('webhook-signature: v1,')
  expect(await findBarriers(page)).toEqual([])
  await hook.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByText('Those that are queued still run.').waitFor()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await hook.waitFor({ state: 'detached' })
  await close(tab)
})

test('an id of another account looks like none, and a credential that only reads has no buttons', async () => {
  const id = await save('shown', 'exit("<b>text</b>")')
  const foreign = await server.token({ account: `${server.account}-other` })
  const other = await open(`/functions/${id}`, { token: foreign })
  const alert = other.page.getByRole('alert')
  const words = await alert.innerText()
  expect(await findBarriers(other.page)).toEqual([])
  for (const unknown of ['999999', 'none', '%E0%A4%A']) {
    await other.page.goto(`/functions/${unknown}`)
    expect(await alert.innerText()).toBe(words)
  }
  await close(other)

  const token = await server.token({ account: server.account, scopes: ['functions:read'] })
  const tab = await open(`/functions/${id}`, { token })
  await versionsOf(tab.page).first().waitFor()
  await tab.page.getByText('exit("<b>text</b>")').waitFor()
  for (const name of ['Roll back', 'Add hook', 'Add task', 'Add webhook'])
    expect(await tab.page.getByRole('button', { name }).count(), name).toBe(0)
  await close(tab)
})

test('a link to a version shows that one, and only the oldest version is called the oldest', async () => {
  const id = await save('many', 'exit(1)')
  for (let number = 2; number <= 60; number++) await save('many', `exit(${number})`)
  const { body } = await server.graphql<{ function: { versions: { nodes: { hash: string }[] } } }>(
    'query($id: ID!) { function(id: $id) { versions { nodes { hash } } } }',
    { id },
  )
  const hashes = body.data?.function.versions.nodes.map(({ hash }) => hash) ?? []
  const tab = await open(`/functions/${id}`)
  const { page } = tab
  const difference = page.getByRole('region', { name: 'Difference' })
  await versionsOf(page).nth(49).getByRole('button', { pressed: false }).first().click()
  await difference
    .getByText(`What ${hashes[49]?.slice(0, 8)} changed from ${hashes[50]?.slice(0, 8)}`)
    .waitFor()
  expect(await readDifference(page)).toEqual(['-exit(10)', '+exit(11)'])
  const newest = versionsOf(page).first().getByRole('button')
  await newest.click()
  await expect.poll(() => readDifference(page)).toEqual(['-exit(59)', '+exit(60)'])
  await expect.poll(() => isInView(difference)).toBe(true)

  await page.goto(`/functions/${id}?version=${hashes[57]}`)
  await expect.poll(() => readDifference(page)).toEqual(['-exit(2)', '+exit(3)'])
  const chosen = page.getByRole('button', { pressed: true })
  expect(await chosen.innerText()).toBe(hashes[57]?.slice(0, 8))
  expect(await page.getByRole('alert').count()).toBe(0)
  await versionsOf(page).nth(59).getByRole('button', { pressed: false }).first().click()
  await difference.getByText('the oldest version that is kept').waitFor()

  await page.goto(`/functions/${id}?version=${'0'.repeat(64)}`)
  await page.getByRole('alert').getByText('The function has no version 00000000.').waitFor()
  await expect.poll(() => readDifference(page)).toEqual(['-exit(59)', '+exit(60)'])
  expect(await findBarriers(page)).toEqual([])
  await close(tab)
})
