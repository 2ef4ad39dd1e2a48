import { beforeAll, expect, test } from 'vitest'
import { addMembership, freshId, listMemberships } from '../../server/clients/memberships.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

interface Item {
  readonly teamMembership: { readonly id: string; readonly userId: string; readonly teamId: string } | null
  readonly error: {
    readonly code: string
    readonly reason: string | null
    readonly message: string
    readonly existingId: string | null
    readonly version: number | null
  } | null
}

interface Bulk {
  readonly it: { readonly applied: boolean; readonly items: readonly Item[] }
}

const result =
  '{ applied items { teamMembership { id userId teamId } error { code reason message existingId version } } }'
const documents = {
  add: `mutation ($items: [AddTeamMembershipInput!]!, $mode: TeamMembershipBulkMode! = ATOMIC) {
    it: addTeamMemberships(items: $items, mode: $mode) ${result}
  }`,
  move: `mutation ($items: [MoveTeamMembershipItem!]!, $mode: TeamMembershipBulkMode! = ATOMIC) {
    it: moveTeamMemberships(items: $items, mode: $mode) ${result}
  }`,
  remove: `mutation ($items: [RemoveTeamMembershipItem!]!, $mode: TeamMembershipBulkMode! = ATOMIC) {
    it: removeTeamMemberships(items: $items, mode: $mode) ${result}
  }`,
}

async function change(
  kind: keyof typeof documents,
  items: readonly object[],
  mode: 'ATOMIC' | 'PARTIAL' = 'ATOMIC',
) {
  const answer = await server.graphql<Bulk>(documents[kind], { items, mode })
  if (answer.body.data == null || answer.body.errors !== undefined)
    throw new Error(`It was not answered: ${answer.status} ${answer.text}`)
  return answer.body.data.it
}

async function refusal(kind: keyof typeof documents, items: readonly object[]) {
  const answer = await server.graphql<Bulk>(documents[kind], { items })
  return { status: answer.status, error: answer.body.errors?.[0] }
}

const codesOf = ({ items }: Bulk['it']) => items.map(({ error }) => error?.code ?? null)

test('an item with two bad ids has the message of the single mutation, which names both', async () => {
  const item = { userId: 'x', teamId: '-1' }
  const single = await server.graphql(
    'mutation ($input: AddTeamMembershipInput!) { addTeamMembership(input: $input) { id } }',
    { input: item },
  )
  const message = single.body.errors?.[0]?.message
  expect(message).toMatch(/`x`.*`-1`/)
  const { items } = await change('add', [item])
  expect(items[0]?.error?.message).toBe(message)
})

test('many are added, moved and removed, each answered at its place, as REST sees', async () => {
  const [user, team, other] = [freshId(), freshId(), freshId()]
  const pairs = [team, other].map(teamId => ({ userId: String(user), teamId: String(teamId) }))
  const added = await change('add', pairs)
  expect(added.applied).toBe(true)
  expect(added.items).toEqual(
    pairs.map(pair => ({
      teamMembership: { id: expect.stringMatching(/^[1-9]\d*$/), ...pair },
      error: null,
    })),
  )
  const ids = added.items.map(({ teamMembership }) => teamMembership?.id ?? '')
  const [first = '', second = ''] = ids
  const moves = [
    { id: second, teamId: freshId() },
    { id: first, teamId: other, ifVersions: [1] },
  ]
  const moved = await change('move', moves)
  expect(codesOf(moved)).toEqual([null, null])
  expect(await listMemberships(server, ids.map(Number))).toMatchObject([
    { id: Number(first), user_id: user, team_id: other, leader: null },
    { id: Number(second), team_id: moves[0]?.teamId },
  ])
  const removed = await change('remove', [{ id: first, ifVersions: [2] }, { id: second }])
  expect(removed.items.map(({ teamMembership }) => teamMembership?.teamId)).toEqual([
    String(other),
    String(moves[0]?.teamId),
  ])
  expect(await listMemberships(server, ids.map(Number))).toEqual([])
})

test('partial leaves out what cannot be, with the code and the words of the single mutation', async () => {
  const row = await addMembership(server)
  const taken = { userId: row.user_id, teamId: row.team_id }
  const fresh = { userId: freshId(), teamId: freshId() }
  const added = await change(
    'add',
    [taken, { userId: 'x', teamId: 3 }, fresh, fresh, { userId: 0, teamId: 1 }],
    'PARTIAL',
  )
  expect(added.applied).toBe(true)
  expect(codesOf(added)).toEqual(['CONFLICT', 'BAD_USER_INPUT', null, 'CONFLICT', 'BAD_USER_INPUT'])
  const [first, second, third, fourth] = added.items
  expect(first?.error).toMatchObject({ reason: 'PAIR_EXISTS', existingId: String(row.id), version: null })
  expect(second?.error?.reason).toBe(null)
  expect(second?.error?.message).toContain('`x` is not a valid user id')
  expect(fourth?.error?.existingId).toBe(third?.teamMembership?.id)
  const single = await server.graphql(
    `mutation { addTeamMembership(input: {userId: ${row.user_id}, teamId: ${row.team_id}}) { id } }`,
  )
  expect(first?.error?.message).toBe(single.body.errors?.[0]?.message)

  const { id } = row
  const other = await addMembership(server)
  const moved = await change(
    'move',
    [
      { id, teamId: freshId() },
      { id: other.id, teamId: freshId(), ifVersions: [7] },
      { id: '99999999', teamId: 1 },
      { id: '-5', teamId: 1 },
      { id },
      { id, userId: null, teamId: 1 },
    ],
    'PARTIAL',
  )
  const bad = 'BAD_USER_INPUT'
  expect(codesOf(moved)).toEqual([null, 'PRECONDITION_FAILED', 'NOT_FOUND', bad, bad, bad])
  expect(moved.items[1]?.error).toMatchObject({ reason: 'VERSION', version: 1 })

  const removed = await change('remove', [{ id }, { id: '99999999' }, { id: '1e1' }], 'PARTIAL')
  expect(codesOf(removed)).toEqual([null, 'NOT_FOUND', bad])
})

test('an id that comes a second time in one call is refused at its place, and undoes an atomic call', async () => {
  const [row, other] = [await addMembership(server), await addMembership(server)]
  const bad = 'BAD_USER_INPUT'
  const moves = [row, other, row].map(({ id }) => ({ id, teamId: freshId() }))
  const refused = await change('move', moves)
  expect([refused.applied, ...codesOf(refused)]).toEqual([false, null, null, bad])
  expect(refused.items[2]?.error).toMatchObject({
    reason: null,
    message: `Item \`0\` of this call names team membership \`${row.id}\` already. Name each membership once.`,
  })
  expect(await listMemberships(server, [row.id])).toMatchObject([{ team_id: row.team_id }])

  const moved = await change('move', moves, 'PARTIAL')
  expect(codesOf(moved)).toEqual([null, null, bad])
  expect(await listMemberships(server, [row.id])).toMatchObject([{ team_id: moves[0]?.teamId }])

  // The second place is refused even if the first one could not be done.
  const stale = [{ id: row.id, ifVersions: [1] }, { id: row.id }, { id: other.id }]
  expect(codesOf(await change('remove', stale, 'PARTIAL'))).toEqual(['PRECONDITION_FAILED', bad, null])
  // A first place that is wrong by itself names nothing.
  const wrong = [{ id: row.id }, { id: row.id, teamId: freshId() }]
  expect(codesOf(await change('move', wrong, 'PARTIAL'))).toEqual([bad, null])
})

test('atomic is the default, and does nothing where one item cannot be', async () => {
  const row = await addMembership(server)
  const fresh = { userId: freshId(), teamId: freshId() }
  const refused = await change('add', [fresh, { userId: row.user_id, teamId: row.team_id }, fresh])
  expect(refused.applied).toBe(false)
  expect(codesOf(refused)).toEqual([null, 'CONFLICT', 'CONFLICT'])
  expect(refused.items.map(({ teamMembership }) => teamMembership)).toEqual([null, null, null])
  expect(refused.items[2]?.error).toMatchObject({
    reason: 'PAIR_EXISTS',
    existingId: null,
    message: 'Item `0` of this call adds the user to this team already.',
  })
  expect((await server.rest('GET', `/platform/users/${fresh.userId}`)).status).toBe(404)

  const unread = await change('add', [fresh, { userId: 'x', teamId: '3' }])
  expect([unread.applied, ...codesOf(unread)]).toEqual([false, null, 'BAD_USER_INPUT'])
  expect((await server.rest('GET', `/platform/users/${fresh.userId}`)).status).toBe(404)
})

test('1,000 items are done in one call, whatever is selected of them', async () => {
  const userId = freshId()
  const items = Array.from({ length: 1_000 }, (_, index) => ({ userId, teamId: 10_000 + index }))
  const everything = `{ applied items {
    teamMembership { id userId teamId leader version user { id email displayName } team { id name } }
    error { code reason message existingId version }
  } }`
  const document = `mutation ($items: [AddTeamMembershipInput!]!) {
    it: addTeamMemberships(items: $items) ${everything} }`
  const answer = await server.graphql<Bulk>(document, { items })
  expect(answer.body.errors).toBeUndefined()
  const rows = answer.body.data?.it.items ?? []
  expect(rows).toHaveLength(1_000)
  expect(rows[999]).toMatchObject({ teamMembership: { user: { id: String(userId) }, team: { id: '10999' } } })

  const ids = rows.map(({ teamMembership }) => teamMembership?.id ?? '')
  const onwards = ids.map((id, index) => ({ id, userId, teamId: 10_001 + index, ifVersions: [1] }))
  expect((await change('move', onwards.toReversed())).applied).toBe(true)
  expect(
    (
      await change(
        'remove',
        ids.map(id => ({ id, ifVersions: [2] })),
      )
    ).applied,
  ).toBe(true)
})

test('1,001 items are refused before anything is done, in words that name the bound', async () => {
  const userId = freshId()
  const items = Array.from({ length: 1_001 }, (_, index) => ({ userId, teamId: 1 + index }))
  const { status, error } = await refusal('add', items)
  expect(status).toBe(400)
  expect(error?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', bound: 'listItems', most: 1_000 })
  expect(error?.message).toMatch(/1000.*1001/)
  expect((await server.rest('GET', `/platform/users/${userId}`)).status).toBe(404)
})

test('five calls of 1,000 items in one operation cost too much', async () => {
  const items = Array.from({ length: 1_000 }, (_, index) => ({ id: index + 1 }))
  const calls = Array.from({ length: 5 }, (_, index) => `r${index}: removeTeamMemberships(items: $items)`)
  const document = `mutation ($items: [RemoveTeamMembershipItem!]!) { ${calls.join(' { applied } ')} { applied } }`
  const answer = await server.graphql(document, { items })
  expect(answer.status).toBe(400)
  expect(answer.body.errors?.[0]?.extensions.bound).toBe('cost')
})

test('without an item there is nothing to do, and a value that is no item is refused', async () => {
  expect(await change('remove', [])).toEqual({ applied: true, items: [] })
  for (const items of [[{ userId: 1 }], [{ userId: 1, teamId: null }], [{ userId: 1.5, teamId: 1 }]]) {
    expect((await refusal('add', items)).error?.extensions.code).toBe('BAD_USER_INPUT')
  }
})

test('the rest of an operation reads what a bulk changed', async () => {
  const row = await addMembership(server)
  const document = `mutation ($id: ID!, $team: ID!) {
    before: moveTeamMembership(id: $id, input: {teamId: ${row.team_id}}) { user { memberships { nodes { teamId } } } }
    it: moveTeamMemberships(items: [{id: $id, teamId: $team}]) ${result}
    after: moveTeamMembership(id: $id, input: {teamId: $team}) { user { memberships { nodes { teamId } } } }
  }`
  const team = String(freshId())
  const { body } = await server.graphql(document, { id: row.id, team })
  expect(body.data).toMatchObject({
    before: { user: { memberships: { nodes: [{ teamId: String(row.team_id) }] } } },
    after: { user: { memberships: { nodes: [{ teamId: team }] } } },
  })
})

test('a script changes many by `graphql`, and the events tell its transaction', async () => {
  const userId = freshId()
  // Of an account that has no other events.
  const token = await server.token({ account: `${server.account}-bulk` })
  const answer = await server.execute<string[]>(
    `const { data } = await graphql(${JSON.stringify(documents.add)},
      { items: [{ userId: ${userId}, teamId: 1 }, { userId: ${userId}, teamId: 2 }] })
     exit(data.it.items.map(item => item.teamMembership.id))`,
    { token },
  )
  const { payload, request_context } = answer.body.task_execution
  const events = await server.graphql<{ it: { nodes: { teamMembershipId: string; txnID: string }[] } }>(
    '{ it: teamMembershipEvents { nodes { teamMembershipId txnID } } }',
    {},
    token,
  )
  const { txnID } = request_context
  expect(events.body.data?.it.nodes).toEqual(payload.map(teamMembershipId => ({ teamMembershipId, txnID })))
  expect(payload).toHaveLength(2)
})
