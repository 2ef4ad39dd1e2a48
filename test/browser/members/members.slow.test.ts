import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { holdRequests } from '../hold-requests.ts'
import { findBarriers, isInView, type WatchedTab } from '../open-browser.ts'
import { close, startBrowsing } from '../start-browsing.ts'

const { server, open } = await startBrowsing()

async function add(page: Page, user: number): Promise<void> {
  await page.getByLabel('Add user').fill(String(user))
  await page.getByLabel('Add user').press('Enter')
  await rowOf(page, user).waitFor()
}

const rowOf = (page: Page, user: number) =>
  page
    .getByRole('list', { name: 'Members' })
    .getByRole('listitem')
    .filter({ hasText: `User ${user}` })

async function listUsers(team: number): Promise<number[]> {
  const { body } = await server.graphql<{ team: { memberships: { nodes: { userId: string }[] } } | null }>(
    `query Users($id: ID!) { team(id: $id) { memberships { nodes { userId } } } }`,
    { id: team },
  )
  return (body.data?.team?.memberships.nodes ?? []).map(({ userId }) => Number(userId))
}

test('a user joins, moves and leaves, and each step is undone by button or key', async () => {
  const tab = await open('/members?team=103')
  const { page } = tab
  expect(await findBarriers(page)).toEqual([])
  await add(page, 7)
  const status = page.getByRole('status')
  expect(await status.innerText()).toContain('Added user 7 to team 103.')
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).click()
  await rowOf(page, 7).waitFor({ state: 'detached' })
  expect(await listUsers(103)).toEqual([])

  await add(page, 8)
  await rowOf(page, 8).getByLabel('Move to').fill('104')
  await rowOf(page, 8).getByRole('button', { name: 'Move', exact: true }).click()
  await rowOf(page, 8).waitFor({ state: 'detached' })
  expect(await listUsers(104)).toEqual([8])
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('u')
  await rowOf(page, 8).waitFor()
  expect(await listUsers(104)).toEqual([])

  await rowOf(page, 8).getByRole('button', { name: 'Remove' }).click()
  await rowOf(page, 8).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await rowOf(page, 8).waitFor()
  const [newest] = await page.getByRole('list', { name: 'Events' }).getByRole('listitem').allInnerTexts()
  expect(newest).toContain('User 8 joined team 103')
  await close(tab)
})

test('a membership that somebody else changed stays as it is, and the page says so in plain words', async () => {
  const tab = await open('/members?team=203')
  const { page } = tab
  await add(page, 9)
  const { body } = await server.graphql<{ team: { memberships: { nodes: { id: string }[] } } }>(
    '{ team(id: "203") { memberships { nodes { id } } } }',
  )
  const id = body.data?.team.memberships.nodes[0]?.id
  await server.rest('PUT', `/platform/team_memberships/${id}`, {
    body: { team_membership: { team_id: 204 } },
  })
  await rowOf(page, 9).getByRole('button', { name: 'Remove' }).click()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.innerText()).toContain('somebody else changed this membership meanwhile')
  await rowOf(page, 9).waitFor({ state: 'detached' })
  expect(await listUsers(204)).toEqual([9])
  expect(await findBarriers(page)).toEqual([])

  await page.getByLabel('Add user').fill('nobody')
  await page.getByRole('button', { name: 'Add' }).click()
  await expect.poll(() => alert.innerText()).toContain('nobody')
  expect(await page.getByLabel('Add user').inputValue()).toBe('nobody')
  await close(tab)
})

test('a long list shows what was said of a row far below its beginning', async () => {
  const items = Array.from({ length: 60 }, (_item, index) => ({ userId: 2_001 + index, teamId: 208 }))
  const { body } = await server.graphql(
    'mutation($items: [AddTeamMembershipInput!]!) { addTeamMemberships(items: $items) { __typename } }',
    { items },
  )
  expect(body.errors).toBeUndefined()
  const tab = await open('/members?team=208')
  const { page } = tab
  const row = rowOf(page, 2_050)
  await row.getByLabel('Move to').fill('208')
  await row.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('alert').getByText('is in team 208 already').waitFor()
  await expect.poll(() => isInView(page.getByRole('alert'))).toBe(true)
  const removals = await holdRequests(page, '**/graphql', 'RemoveMember(')
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('status').getByText('Saving…').waitFor()
  removals.release()
  await page.getByText('Removed user 2050').waitFor()
  expect(await isInView(page.getByRole('button', { name: 'Undo' }))).toBe(true)

  // What is refused after it leaves the removal to be undone.
  const next = rowOf(page, 2_051)
  await next.getByLabel('Move to').fill('208')
  await next.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('alert').getByText('is in team 208 already').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.waitFor()
  await close(tab)
})

test('a user’s page has the teams, and a name is shown as text', async () => {
  const { body } = await server.graphql(
    'mutation($input: SaveUserInput!) { saveUser(input: $input) { id } }',
    {
      input: { id: '307', displayName: '<b>Ann</b>' },
    },
  )
  expect(body.errors).toBeUndefined()
  const tab = await open('/members?user=307')
  const { page } = tab
  await page.getByRole('heading', { level: 1, name: 'User 307 · <b>Ann</b>' }).waitFor()
  expect(await page.title()).toBe('User 307 · <b>Ann</b> · Rostrum')
  await page.getByLabel('Add team').fill('303')
  await page.getByRole('button', { name: 'Add' }).click()
  const row = page.getByRole('list', { name: 'Teams' }).getByRole('listitem')
  await row.getByRole('link', { name: 'Team 303' }).waitFor()
  await row.getByLabel('Move to').fill('304')
  await row.getByRole('button', { name: 'Move', exact: true }).click()
  await row.getByRole('link', { name: 'Team 304' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await row.getByRole('link', { name: 'Team 304' }).click()
  await page.waitForURL('**/members?team=304')
  await rowOf(page, 307).getByText('<b>Ann</b>').waitFor()
  await page.getByRole('searchbox', { name: 'User' }).fill('307')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/members?user=307')
  await close(tab)
})

test('a credential that only reads sees members and no buttons', async () => {
  const token = await server.token({ account: server.account, scopes: ['memberships:read'] })
  await server.rest('POST', '/platform/team_memberships', {
    body: { team_membership: { user_id: 407, team_id: 403 } },
  })
  const tab = await open('/members?team=403', { token })
  const { page } = tab
  await rowOf(page, 407).waitFor()
  for (const name of ['Add', 'Move', 'Remove'])
    expect(await page.getByRole('button', { name }).count(), name).toBe(0)
  await close(tab)
})

test('a search that found nothing among the newest changes says so, and goes on with the earlier ones', async () => {
  for (let user = 1; user <= 2; user++)
    await server.rest('POST', '/platform/team_memberships', {
      body: { team_membership: { user_id: user, team_id: 555 } },
    })
  const items = Array.from({ length: 500 }, (_item, index) => ({ userId: 5_000 + index, teamId: 556 }))
  for (const teamId of [556, 557]) {
    const { body } = await server.graphql(
      `mutation($items: [AddTeamMembershipInput!]!) { addTeamMemberships(items: $items) { applied } }`,
      { items: items.map(item => ({ ...item, teamId })) },
    )
    expect(body.errors).toBeUndefined()
  }
  const tab = await open('/members?team=555')
  const { page } = tab
  await page.getByText('No change of this team is among the newest 1,000 changes of the account.').waitFor()
  expect(await page.getByText('No changes yet').count()).toBe(0)
  expect(await findBarriers(page)).toEqual([])
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
  // What comes while it looks further back stays.
  const earlier = await holdRequests(page, '**/graphql', '"before":"')
  await page.getByRole('button', { name: 'Look further back' }).dblclick()
  await expect.poll(earlier.count).toBe(2)
  await add(page, 3)
  await expect.poll(() => events.count()).toBe(1)
  earlier.release()
  await expect.poll(() => events.count()).toBe(3)
  expect(await page.getByRole('button', { name: 'Look further back' }).count()).toBe(0)
  // The second press adds nothing more.
  await page.waitForLoadState('networkidle')
  expect(await events.count()).toBe(3)
  expect(await events.first().innerText()).toContain('User 3 joined team 555')
  await close(tab)
})

test('keys open a member, and Escape comes back to the team and the same row', async () => {
  for (const user of [607, 608])
    await server.rest('POST', '/platform/team_memberships', {
      body: { team_membership: { user_id: user, team_id: 603 } },
    })
  const tab = await open('/members?team=603')
  const { page } = tab
  await rowOf(page, 608).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/members?user=608')
  await page.getByRole('link', { name: 'Team 603' }).waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL('**/members?team=603')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('href')))
    .toBe('/members?user=608')
  await page.keyboard.press('Escape')
  await page.waitForURL('**/members')
  await page.getByText('Choose a team or a user').waitFor()
  await page.goto('/members?team=')
  await page.getByText('Choose a team or a user').waitFor()
  await close(tab)
})

async function openLong(team: number): Promise<WatchedTab> {
  const items = Array.from({ length: 130 }, (_item, index) => ({ userId: 7_001 + index, teamId: team }))
  await server.graphql(
    `mutation($items: [AddTeamMembershipInput!]!) { addTeamMemberships(items: $items) { applied } }`,
    { items },
  )
  const tab = await open(`/members?team=${team}`)
  await tab.page.getByRole('button', { name: 'Load more' }).click()
  await rowOf(tab.page, 7_130).waitFor()
  return tab
}

const focusedLink = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('href'))

test('a long list stays as long after a removal, and goes on at the next row', async () => {
  const tab = await openLong(703)
  const { page } = tab
  const rows = page.getByRole('list', { name: 'Members' }).getByRole('listitem')
  await rowOf(page, 7_120).getByRole('button', { name: 'Remove' }).press('Enter')
  await rowOf(page, 7_120).waitFor({ state: 'detached' })
  expect(await rows.count()).toBe(129)
  await expect.poll(() => focusedLink(page)).toBe('/members?user=7121')
  const undo = await page.getByRole('button', { name: 'Undo' }).boundingBox()
  expect(undo?.y).toBeGreaterThan(0)
  await page.keyboard.press('u')
  await expect.poll(() => rows.count()).toBe(130)
  await close(tab)
})

test('a team that was typed below the first page is there again once its row is', async () => {
  const tab = await openLong(705)
  const { page } = tab
  await rowOf(page, 7_125).getByLabel('Move to').fill('9')
  await page.reload()
  await page.getByRole('button', { name: 'Load more' }).click()
  await rowOf(page, 7_125).waitFor()
  await expect.poll(() => rowOf(page, 7_125).getByLabel('Move to').inputValue()).toBe('9')
  await close(tab)
})

test('the field of a membership that was moved is empty, and a key that is held undoes the move once', async () => {
  await server.graphql(
    'mutation($input: AddTeamMembershipInput!) { addTeamMembership(input: $input) { id } }',
    {
      input: { userId: 7_200, teamId: 706 },
    },
  )
  const tab = await open('/members?user=7200')
  const { page } = tab
  const field = page.getByLabel('Move to')
  await field.fill('707')
  await field.press('Enter')
  await page.getByRole('link', { name: 'Team 707' }).waitFor()
  expect(await field.inputValue()).toBe('')
  await field.blur()
  await page.keyboard.down('u')
  await page.getByText('Moved user 7200 from team 707 to team 706.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.keyboard.down('u')
  await page.keyboard.up('u')
  await page.getByRole('link', { name: 'Team 706' }).waitFor()
  expect(await listUsers(706)).toEqual([7_200])
  await close(tab)
})

test('Escape comes back to a row below the first page', async () => {
  const tab = await openLong(704)
  const { page } = tab
  await page.getByRole('link', { name: 'User 7125' }).press('Enter')
  await page.waitForURL('**/members?user=7125')
  await page.getByRole('link', { name: 'Team 704' }).waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL('**/members?team=704')
  await expect.poll(() => focusedLink(page)).toBe('/members?user=7125')
  await close(tab)
})
