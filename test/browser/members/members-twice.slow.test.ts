import { expect, test } from 'vitest'
import { holdRequests, loseFirstAnswer } from '../hold-requests.ts'
import { enter, expireToken, openTab, signInAgain } from '../open-browser.ts'
import { startBrowsing } from '../start-browsing.ts'

const { server, browser } = await startBrowsing()

async function openTeam(team: number) {
  const tab = await openTab(browser, server.baseUrl)
  const { page } = tab
  await enter(page, server.adminToken, `/members?team=${team}`)
  const field = page.getByLabel('Add user')
  await field.waitFor()
  const linkTo = (user: number) => page.getByRole('link', { name: `User ${user}`, exact: true })
  const rowOf = (user: number) => page.getByRole('listitem').filter({ has: linkTo(user) })
  return { ...tab, field, rowOf }
}

/** Opens a team with user 7. From then on its list does not come. */
async function openUnlisted(team: number) {
  const opened = await openTeam(team)
  const { page, field, rowOf } = opened
  await field.fill('7')
  await field.press('Enter')
  await rowOf(7).waitFor()
  await page.route('**/graphql', route => {
    const isList = route.request().postData()?.includes('MembersOfTeam(') ?? false
    return isList ? route.abort() : route.fallback()
  })
  return opened
}

test('a second press of a button asks for the same once, and blames nobody else', async () => {
  const { page, faults, field, rowOf } = await openTeam(803)
  const adds = await holdRequests(page, '**/graphql', 'AddMember(')
  await field.fill('7')
  await field.press('Enter')
  await field.press('Enter')
  await expect.poll(adds.count).toBe(1)
  adds.release()
  await page.getByText('Added user 7 to team 803.').waitFor()
  const removals = await holdRequests(page, '**/graphql', 'RemoveMember(')
  await rowOf(7).getByRole('button', { name: 'Remove' }).dblclick()
  await expect.poll(removals.count).toBe(1)
  removals.release()
  await page.getByText('Removed user 7 from team 803.').waitFor()
  await rowOf(7).waitFor({ state: 'detached' })
  expect(await page.getByRole('alert').count()).toBe(0)
  expect([adds.count(), removals.count()]).toEqual([1, 1])
  await page.getByRole('button', { name: 'Undo' }).click()
  await rowOf(7).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('a list that comes after that of a later change takes nothing back', async () => {
  const { page, faults, field, rowOf } = await openTeam(816)
  for (const user of [7, 8]) {
    await field.fill(String(user))
    await field.press('Enter')
    await rowOf(user).waitFor()
  }
  const late = Promise.withResolvers<void>()
  let lists = 0
  await page.route('**/graphql', async route => {
    const isList = route.request().postData()?.includes('MembersOfTeam(') ?? false
    if (!isList || ++lists > 1) return route.fallback()
    const response = await route.fetch()
    await late.promise
    await route.fulfill({ response })
  })
  await rowOf(7).getByRole('button', { name: 'Remove' }).click()
  await expect.poll(() => lists).toBe(1)
  await rowOf(8).getByRole('button', { name: 'Remove' }).click()
  await page.getByText('This team has no members').waitFor()
  const answered = page.waitForResponse(answer => answer.request().postData()?.includes('Members') ?? false)
  late.resolve()
  await answered
  await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 200)))
  expect(await rowOf(8).count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('the next user that is typed while one is added stays in the field', async () => {
  const { page, faults, field, rowOf } = await openTeam(804)
  const adds = await holdRequests(page, '**/graphql', 'AddMember(')
  await field.fill('7')
  await field.press('Enter')
  await expect.poll(adds.count).toBe(1)
  await field.fill('8')
  adds.release()
  await rowOf(7).waitFor()
  expect(await field.inputValue()).toBe('8')
  await field.press('Enter')
  await rowOf(8).waitFor()
  expect(await field.inputValue()).toBe('')
  expect(faults).toEqual([])
  await page.context().close()
})

test('an undo that is asked for while another one is slow is done too', async () => {
  const { page, faults, field, rowOf } = await openTeam(805)
  for (const user of [7, 8]) {
    await field.fill(String(user))
    await field.press('Enter')
    await rowOf(user).waitFor()
  }
  await rowOf(7).getByRole('button', { name: 'Remove' }).click()
  await rowOf(7).waitFor({ state: 'detached' })
  const adds = await holdRequests(page, '**/graphql', 'AddMember(')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(adds.count).toBe(1)
  await rowOf(8).getByRole('button', { name: 'Remove' }).click()
  await rowOf(8).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(adds.count).toBe(2)
  adds.release()
  await rowOf(7).waitFor()
  await rowOf(8).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('“Undo” gives its focus to the next “Undo”, and after its time to the words before it', async () => {
  const { page, faults, field, rowOf } = await openTeam(806)
  await page.clock.install()
  await field.fill('7')
  await field.press('Enter')
  await rowOf(7).waitFor()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.press('Enter')
  const removed = page.getByRole('status').filter({ hasText: 'Removed user 7 from team 806.' })
  await removed.waitFor()
  await expect.poll(() => undo.evaluate(button => button === document.activeElement)).toBe(true)
  await page.clock.fastForward(10_000)
  await undo.waitFor({ state: 'detached' })
  await expect.poll(() => removed.evaluate(words => words === document.activeElement)).toBe(true)
  expect(faults).toEqual([])
  await page.context().close()
})

test('after a removal whose list does not come, an alert says so', async () => {
  const { page, faults, rowOf } = await openUnlisted(807)
  await rowOf(7).getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Removed user 7 from team 807.').waitFor()
  await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('what was typed is there after signing in again, and no more once it is done', async () => {
  const { page, field, rowOf } = await openTeam(809)
  const search = page.getByRole('searchbox', { name: 'User' })
  await search.fill('8091')
  await field.fill('7')
  await expireToken(page)
  await field.press('Enter')
  await signInAgain(page, server.adminToken)
  await expect.poll(() => field.inputValue()).toBe('7')
  expect(await search.inputValue()).toBe('8091')
  await field.press('Enter')
  await rowOf(7).waitFor()
  const moveTo = rowOf(7).getByLabel('Move to')
  await moveTo.fill('8090')
  await expireToken(page)
  await moveTo.press('Enter')
  await signInAgain(page, server.adminToken)
  await expect.poll(() => moveTo.inputValue()).toBe('8090')
  expect(await field.inputValue()).toBe('')
  await moveTo.press('Enter')
  await page.getByText('Moved user 7 from team 809 to team 8090.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Moved user 7 from team 8090 to team 809.').waitFor()
  await page.reload()
  await rowOf(7).waitFor()
  expect(await moveTo.inputValue()).toBe('')
  await search.press('Enter')
  await page.waitForURL('**/members?user=8091')
  await page.goBack()
  await rowOf(7).waitFor()
  expect(await search.inputValue()).toBe('')
  await page.context().close()
})

test('a move whose answer was lost and that is asked for again is no change of somebody else', async () => {
  const { page, rowOf } = await openUnlisted(810)
  await loseFirstAnswer(page, 'MoveMember(')
  await rowOf(7).getByLabel('Move to').fill('811')
  const move = rowOf(7).getByRole('button', { name: 'Move', exact: true })
  await move.click()
  await page.getByRole('alert').waitFor()
  await move.click()
  await page.getByText('Moved user 7 from team 810 to team 811.').waitFor()
  await page.context().close()
})

test('what could not be undone while the gateway was away can be undone again', async () => {
  const { page, faults, field, rowOf } = await openTeam(812)
  await field.fill('7')
  await field.press('Enter')
  await rowOf(7).getByRole('button', { name: 'Remove' }).click()
  const undo = page.getByRole('button', { name: 'Undo' })
  await page.getByText('Removed user 7').waitFor()
  await page.route('**/graphql', route => route.abort())
  await undo.click()
  await page.getByRole('alert').getByText('cannot be reached').waitFor()
  await page.getByText('Removed user 7').waitFor()
  await expect.poll(() => undo.evaluate(button => button === document.activeElement)).toBe(true)
  await page.unroute('**/graphql')
  await undo.click()
  await rowOf(7).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('an undo that is lost after another one was done does not offer that one again', async () => {
  const { page, faults, field, rowOf } = await openTeam(813)
  for (const user of [7, 8]) {
    await field.fill(String(user))
    await field.press('Enter')
    await rowOf(user).waitFor()
  }
  const lost = Promise.withResolvers<void>()
  await page.route('**/graphql', async route => {
    if (!route.request().postData()?.includes('"userId":"7"')) return route.fallback()
    await lost.promise
    await route.abort()
  })
  const undo = page.getByRole('button', { name: 'Undo' })
  for (const user of [7, 8]) {
    await rowOf(user).getByRole('button', { name: 'Remove' }).click()
    await rowOf(user).waitFor({ state: 'detached' })
    await undo.click()
  }
  await rowOf(8).waitFor()
  lost.resolve()
  await page.getByRole('alert').getByText('cannot be reached').waitFor()
  await page.getByText('Took back user 8 into team 813.').waitFor()
  expect(await page.getByText('Removed user').count()).toBe(0)
  expect(faults).toEqual([])
  await page.context().close()
})

test('an undo that was lost is offered again once it can be done, although the list comes late', async () => {
  const { page, faults, field, rowOf } = await openTeam(814)
  await field.fill('7')
  await field.press('Enter')
  await rowOf(7).getByRole('button', { name: 'Remove' }).click()
  await rowOf(7).waitFor({ state: 'detached' })
  let isAway = true
  await page.route('**/graphql', route =>
    isAway && route.request().postData()?.includes('AddMember(') ? route.abort() : route.fallback(),
  )
  const lists = await holdRequests(page, '**/graphql', 'MembersOfTeam(')
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.click()
  await expect.poll(lists.count).toBe(1)
  isAway = false
  setTimeout(lists.release, 1_000)
  await undo.click()
  await rowOf(7).waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})

test('characters of a name that are invisible, or change the direction of text, are marked', async () => {
  const save = 'mutation($input: SaveUserInput!) { saveUser(input: $input) { id } }'
  await server.graphql(save, {
    input: { id: '17', displayName: 'ann\u202eeve', email: 'a\u200bnn@example.com' },
  })
  const { page, field, rowOf } = await openTeam(817)
  await field.fill('17')
  await field.press('Enter')
  const row = rowOf(17)
  await row.waitFor()
  expect(await row.innerText()).toMatch(/annU\+202Eeve, aU\+200Bnn@example\.com/)
  await page.context().close()
})
