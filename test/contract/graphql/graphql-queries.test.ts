import { beforeAll, expect, test } from 'vitest'
import { addMembership } from '../../server/clients/memberships.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const refusal = async (query: string, variables: Record<string, unknown> = {}) => {
  const answer = await server.graphql(query, variables)
  return { status: answer.status, data: answer.body.data, error: answer.body.errors?.[0] }
}

test('teamMembership gives ids as text, a null leader, its user and its team', async () => {
  const row = await addMembership(server)
  const answer = await server.graphql(
    `query($id: ID!) { teamMembership(id: $id) {
      id userId teamId leader user { id email displayName } team { id name } } }`,
    { id: String(row.id) },
  )
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    data: {
      teamMembership: {
        id: String(row.id),
        userId: String(row.user_id),
        teamId: String(row.team_id),
        leader: null,
        user: { id: String(row.user_id), email: null, displayName: null },
        team: { id: String(row.team_id), name: null },
      },
    },
  })
})

test('an unknown id is null without an error', async () => {
  const answer = await server.graphql(
    '{ teamMembership(id: "99999999") { id } user(id: "99999999") { id } team(id: "99999999") { id } }',
  )
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ data: { teamMembership: null, user: null, team: null } })
})

test('teamMemberships answers like the REST list', async () => {
  const [one, two] = [await addMembership(server), await addMembership(server)]
  const answer = await server.graphql('query($ids: [ID!]!) { teamMemberships(ids: $ids) { id } }', {
    ids: [two.id, 99_999_999, one.id, two.id].map(String),
  })
  expect(answer.body).toEqual({
    data: { teamMemberships: [{ id: String(two.id) }, { id: String(one.id) }] },
  })
})

test('teamMemberships refuses more than 1,000 ids, and invalid ids', async () => {
  const query = 'query($ids: [ID!]!) { teamMemberships(ids: $ids) { id } }'
  const tooMany = await refusal(query, {
    ids: Array.from({ length: 1001 }, (_, index) => String(index + 1)),
  })
  expect(tooMany.error?.extensions.code).toBe('BAD_USER_INPUT')
  expect(tooMany.error?.message).toMatch(/1,?000/)
  for (const id of ['abc', '0', '-1', '1.5', '9007199254740992', '']) {
    const answer = await refusal(query, { ids: [id] })
    expect(answer.error?.extensions.code).toBe('BAD_USER_INPUT')
    expect(answer.error?.message).toContain(id)
  }
})

test('1,000 memberships with users and teams under two aliases fit', async () => {
  const row = await addMembership(server)
  const ids = [String(row.id), ...Array.from({ length: 999 }, (_, index) => String(50_000_000 + index))]
  const answer = await server.graphql(
    `query($ids: [ID!]!) { teamMemberships(ids: $ids) {
      a: user { id email } b: user { displayName } c: team { id } d: team { name } } }`,
    { ids },
  )
  expect(answer.body.errors).toBeUndefined()
  expect(answer.body.data).toEqual({
    teamMemberships: [
      {
        a: { id: String(row.user_id), email: null },
        b: { displayName: null },
        c: { id: String(row.team_id) },
        d: { name: null },
      },
    ],
  })
})

test('viewer names the account and user of the credential', async () => {
  const token = await server.token({
    account: 'beta',
    email: 'ann@example.com',
    scopes: ['memberships:read'],
  })
  const answer = await server.graphql<{ viewer: { userId: string } }>(
    '{ viewer { accountCode userId email scopes } }',
    {},
    token,
  )
  expect(answer.body.data?.viewer).toEqual({
    accountCode: 'beta',
    userId: expect.stringMatching(/^[1-9]\d*$/),
    email: 'ann@example.com',
    scopes: ['memberships:read'],
  })
  const own = await server.graphql<{ user: unknown }>(
    'query($id: ID!) { user(id: $id) { email } }',
    { id: answer.body.data?.viewer.userId },
    token,
  )
  expect(own.body.data).toEqual({ user: { email: 'ann@example.com' } })
})
