import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { holdRequests } from '../hold-requests.ts'
import { close, startBrowsing } from '../start-browsing.ts'

const { server, open } = await startBrowsing()

async function save(name: string, sourceCode: string): Promise<string> {
  const { body } = await server.graphql<{ saveFunction: { id: string } }>(
    'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }',
    { input: { name, sourceCode } },
  )
  return body.data?.saveFunction.id ?? expect.unreachable()
}

/** Opens the page of a new function with a hook for each event, on cases of a type with the function's name. */
async function openHooks(name: string, events: readonly string[]) {
  const functionId = await save(name, 'exit(payload)')
  const ids: (string | undefined)[] = []
  for (const event of events) {
    const { body } = await server.graphql<{ saveHook: { id: string } }>(
      'mutation($input: SaveHookInput!) { saveHook(input: $input) { id } }',
      { input: { functionId, caseTypeCode: name, event } },
    )
    ids.push(body.data?.saveHook.id)
  }
  const tab = await open(`/functions/${functionId}`)
  const { page } = tab
  const hooks = page.getByRole('list', { name: 'Hooks' })
  await hooks.waitFor()
  return { tab, page, hooks, ids }
}

/** Keeps back the answer to the next request whose body has this text. The returned function sends it on. */
async function holdAnswer(page: Page, text: string): Promise<() => Promise<void>> {
  const released = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  let isNext = true
  await page.route('**/graphql', async route => {
    if (!isNext || !route.request().postData()?.includes(text)) return route.fallback()
    isNext = false
    const response = await route.fetch()
    await released.promise
    await route.fulfill({ response })
    sent.resolve()
  })
  return async () => {
    released.resolve()
    await sent.promise
    await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 100)))
  }
}

test('older versions that come late do not take a newer list away', async () => {
  const id = await save('late', 'exit(0)')
  for (let number = 1; number <= 50; number++) await save('late', `exit(${number})`)
  const tab = await open(`/functions/${id}`)
  const { page } = tab
  const sendOlder = await holdAnswer(page, '"after":"')
  await page.getByRole('button', { name: 'Load more' }).click()
  await save('late', 'exit("newest")')
  await page.getByTitle('Show what this version changed').first().click()
  await page.getByText('The versions changed meanwhile.').waitFor()
  const newest = await page.getByTitle('Show what this version changed').first().innerText()
  await sendOlder()
  expect(await page.getByTitle('Show what this version changed').first().innerText()).toBe(newest)
  await page.getByRole('button', { name: 'Load more' }).click()
  const versions = page.getByTitle('Show what this version changed')
  await expect.poll(() => versions.count()).toBe(52)
  await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' })
  await expect.poll(() => versions.nth(50).evaluate(own => own === document.activeElement)).toBe(true)
  await close(tab)
})

test('two hooks that are switched off quickly are both shown as off', async () => {
  const { tab, page, hooks } = await openHooks('hooked', ['PRE_SAVE', 'POST_SAVE'])
  const sendFirst = await holdAnswer(page, 'ListHooks')
  await hooks.getByRole('button', { name: 'Switch off' }).nth(0).click()
  await hooks.getByRole('button', { name: 'Switch off' }).nth(1).click()
  await expect.poll(() => hooks.getByRole('button', { name: 'Switch on' }).count()).toBeGreaterThan(0)
  await sendFirst()
  expect(await hooks.getByRole('button', { name: 'Switch on' }).count()).toBe(2)
  await close(tab)
})

test('a switch and a removal whose answers are late say that they go on', async () => {
  const { tab, page, hooks } = await openHooks('slow', ['PRE_SAVE'])
  const sendSwitch = await holdAnswer(page, 'saveHook')
  await hooks.getByRole('button', { name: 'Switch off' }).click()
  await page.getByRole('status').getByText('Switching off…').waitFor()
  await sendSwitch()
  await page.getByRole('status').getByText('Before each save of slow is off.').waitFor()
  const sendRemoval = await holdAnswer(page, 'removeHook')
  await hooks.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('status').getByText('Removing…').waitFor()
  await sendRemoval()
  await page.getByRole('status').getByText('Before each save of slow was removed.').waitFor()
  await close(tab)
})

test('a removal that is asked for twice is done once, and blames nobody else', async () => {
  const { tab, page, hooks } = await openHooks('twice', ['PRE_SAVE'])
  let removals = 0
  page.on('request', request => {
    if (request.postData()?.includes('removeHook')) removals++
  })
  const sendRemoval = await holdAnswer(page, 'removeHook')
  for (let press = 0; press < 2; press++) {
    await hooks.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  }
  await sendRemoval()
  await page.getByRole('status').getByText('Before each save of twice was removed.').waitFor()
  await hooks.waitFor({ state: 'detached' })
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(removals).toBe(1)
  await close(tab)
})

test('“Add hook” says that it opens while its dialog loads', async () => {
  const { tab, page } = await openHooks('opening', ['PRE_SAVE'])
  const dialog = await holdRequests(page, '**/trigger-dialog.ts')
  await page.getByRole('button', { name: 'Add hook' }).click()
  const notice = page.getByRole('status').getByText('Opening…')
  await notice.waitFor()
  dialog.release()
  await page.getByRole('dialog', { name: 'Add hook' }).waitFor()
  await notice.waitFor({ state: 'detached' })
  await close(tab)
})

test('“Roll back” that is slow still says so after another version was chosen', async () => {
  const id = await save('rolled', 'exit(1)')
  await save('rolled', 'exit(2)')
  const tab = await open(`/functions/${id}`)
  const { page } = tab
  const sendRollBack = await holdAnswer(page, 'RollBack')
  await page.getByRole('button', { name: 'Roll back' }).click()
  const notice = page.getByRole('status').filter({ hasText: /^Making version .* live…$/ })
  await notice.waitFor()
  await page.locator('button.hash').nth(1).click()
  await page.getByRole('region', { name: 'Difference' }).getByText('the oldest version').waitFor()
  expect(await notice.count()).toBe(1)
  await sendRollBack()
  await page
    .getByRole('status')
    .filter({ hasText: / is live\.$/ })
    .waitFor()
  await close(tab)
})

test('a removal that goes on still says so after a switch has failed', async () => {
  const { tab, page, hooks } = await openHooks('failing', ['PRE_SAVE', 'POST_SAVE'])
  const asked = Promise.withResolvers<() => Promise<void>>()
  await page.route('**/graphql', route => {
    if (!route.request().postData()?.includes('saveHook')) return route.fallback()
    asked.resolve(() => route.fulfill({ status: 400, json: { errors: [{ message: 'It was refused.' }] } }))
  })
  await hooks.getByRole('button', { name: 'Switch off' }).nth(0).click()
  const refuseSwitch = await asked.promise
  const sendRemoval = await holdAnswer(page, 'removeHook')
  await hooks.getByRole('button', { name: 'Remove' }).nth(1).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await refuseSwitch()
  await page.getByRole('alert').getByText('It was refused.').waitFor()
  expect(await page.locator('.triggers').getByRole('status').first().innerText()).toBe('Removing…')
  await sendRemoval()
  await page.getByRole('status').getByText('After each save of failing was removed.').waitFor()
  await close(tab)
})

test('a hook that somebody else has removed leaves the list once it is switched off', async () => {
  const { tab, page, hooks, ids } = await openHooks('removed', ['PRE_SAVE'])
  await server.graphql('mutation($id: ID!) { removeHook(id: $id) { id } }', { id: ids[0] })
  await hooks.getByRole('button', { name: 'Switch off' }).press('Enter')
  await page.getByRole('alert').filter({ hasText: 'There is no hook' }).waitFor()
  await hooks.waitFor({ state: 'detached' })
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await expect.poll(focused).toBe('Add hook')
  await close(tab)
})

test('a search among functions of which a part did not come finds nothing out', async () => {
  await save('first-part', 'exit(1)')
  const tab = await open('/cases')
  const { page } = tab
  await page.route('**/graphql', async route => {
    const asked = route.request().postData() ?? ''
    if (!asked.includes('ListFunctions(')) return route.fallback()
    if (!asked.includes('"after":null')) return route.abort()
    const response = await route.fetch()
    const json = await response.json()
    json.data.functions.pageInfo.hasNextPage = true
    await route.fulfill({ response, json })
  })
  await page.goto('/functions?text=second')
  await page.getByRole('alert').waitFor()
  expect(await page.getByText('No function has this name').count()).toBe(0)
  await close(tab)
})

test('sources that could not be read are not said to be loading afterwards', async () => {
  const id = await save('unread', 'exit(1)')
  await save('unread', 'exit(2)')
  const tab = await open(`/functions/${id}`)
  const { page } = tab
  const difference = page.getByRole('region', { name: 'Difference' })
  await difference.getByText('+exit(2)').waitFor()
  await page.route('**/graphql', route => {
    const isRead = route.request().postData()?.includes('ReadSources(') ?? false
    return isRead ? route.abort() : route.fallback()
  })
  await page.getByTitle('Show what this version changed').nth(1).click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Roll back' }).click()
  await page.getByText('is live.').waitFor()
  expect(await difference.getByText('Loading…').count()).toBe(0)
  await close(tab)
})

test('a list of functions that did not load whole says so, and loads again', async () => {
  const saveAsOne = async (turn: number) => {
    for (let index = turn; index < 510; index += 5) await save(`listed-${index}`, 'exit(1)')
  }
  await Promise.all([0, 1, 2, 3, 4].map(saveAsOne))
  const tab = await open('/docs')
  const { page } = tab
  let pages = 0
  await page.route('**/graphql', route => {
    if (route.request().postData()?.includes('ListFunctions(')) pages++
    return pages === 2 ? route.abort() : route.fallback()
  })
  await page.goto('/functions')
  await page.getByRole('alert').getByText('cannot be reached').waitFor()
  await page.getByRole('searchbox').fill('listed-509')
  await page.unroute('**/graphql')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'listed-509' }).waitFor()
  await close(tab)
})
