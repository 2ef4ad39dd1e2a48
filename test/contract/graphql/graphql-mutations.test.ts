import { beforeAll, expect, test } from 'vitest'
import { addMembership, freshId, listMemberships } from '../../server/clients/memberships.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

async function refusal(mutation: string) {
  const answer = await server.graphql(`mutation { ${mutation} { id } }`)
  return answer.body.errors?.[0]
}

test('add, move and remove do what REST sees', async () => {
  const [userId, teamId, other] = [freshId(), freshId(), freshId()]
  const added = await server.graphql<{ addTeamMembership: { id: string } }>(
    `mutation { addTeamMembership(input: {userId: "${userId}", teamId: "${teamId}"}) { id userId teamId leader } }`,
  )
  const id = added.body.data?.addTeamMembership.id ?? ''
  expect(added.body).toEqual({
    data: {
      addTeamMembership: {
        id: expect.stringMatching(/^[1-9]\d*$/),
        userId: String(userId),
        teamId: String(teamId),
        leader: null,
      },
    },
  })
  const moved = await server.graphql(
    `mutation { moveTeamMembership(id: "${id}", input: {teamId: "${other}"}) { id userId teamId } }`,
  )
  expect(moved.body).toEqual({
    data: { moveTeamMembership: { id, userId: String(userId), teamId: String(other) } },
  })
  expect(await listMemberships(server, [Number(id)])).toEqual([
    { id: Number(id), user_id: userId, team_id: other, leader: null },
  ])
  const removed = await server.graphql(`mutation { removeTeamMembership(id: "${id}") { id } }`)
  expect(removed.body).toEqual({ data: { removeTeamMembership: { id } } })
  expect(await listMemberships(server, [Number(id)])).toEqual([])
})

test('ids may be written as integers too', async () => {
  const [userId, teamId] = [freshId(), freshId()]
  const answer = await server.graphql(
    `mutation { addTeamMembership(input: {userId: ${userId}, teamId: ${teamId}}) { userId teamId } }`,
  )
  expect(answer.body).toEqual({
    data: { addTeamMembership: { userId: String(userId), teamId: String(teamId) } },
  })
})

test.each([
  'moveTeamMembership(id: "99999999", input: {teamId: "3"})',
  'removeTeamMembership(id: "99999999")',
])('%s answers NOT_FOUND with its path', async mutation => {
  const error = await refusal(mutation)
  expect(error?.extensions.code).toBe('NOT_FOUND')
  expect(error?.path).toEqual([mutation.slice(0, mutation.indexOf('('))])
})

test('adding or moving onto a pair that exists is a CONFLICT that names it', async () => {
  const [one, other] = [await addMembership(server), await addMembership(server)]
  const input = `{userId: "${one.user_id}", teamId: "${one.team_id}"}`
  for (const mutation of [
    `addTeamMembership(input: ${input})`,
    `moveTeamMembership(id: "${other.id}", input: ${input})`,
  ]) {
    const error = await refusal(mutation)
    expect(error?.extensions).toMatchObject({ code: 'CONFLICT', reason: 'PAIR_EXISTS' })
    expect(error?.message).toMatch(new RegExp(`\\b${one.id}\\b`))
  }
  expect(await listMemberships(server, [one.id, other.id])).toEqual([one, other])
})

test.each([
  'addTeamMembership(input: {userId: "x", teamId: "3"})',
  'addTeamMembership(input: {userId: "7", teamId: "0"})',
  'moveTeamMembership(id: "5", input: {})',
  'moveTeamMembership(id: "5", input: {userId: null, teamId: "3"})',
  'moveTeamMembership(id: "-5", input: {teamId: "3"})',
  'removeTeamMembership(id: "1e1")',
  'saveUser(input: {id: "0"})',
  'saveUser(input: {id: "5", email: "no address"})',
  'saveTeam(input: {id: "abc", name: "x"})',
])('%s is BAD_USER_INPUT', async mutation => {
  expect((await refusal(mutation))?.extensions.code).toBe('BAD_USER_INPUT')
})

test.each(['saveTeam(input: {id: "0"}) { id }', 'saveUser(input: {id: "0"}) { id }'])(
  'a failed %s leaves the answers of the others',
  async failing => {
    const { body } = await server.graphql(
      `mutation { a: saveTeam(input: {id: "8", name: "Blue"}) { name } b: ${failing} }`,
    )
    expect(body.data).toEqual({ a: { name: 'Blue' }, b: null })
    expect(body.errors?.map(({ path }) => path)).toEqual([['b']])
  },
)

test('mutations of one document run one after another, and a failure keeps what came before', async () => {
  const [userId, teamId] = [freshId(), freshId()]
  const add = `addTeamMembership(input: {userId: "${userId}", teamId: "${teamId}"}) { id }`
  const answer = await server.graphql(`mutation { a: ${add} b: ${add} }`)
  expect(answer.body.errors?.map(error => [error.path, error.extensions.code])).toEqual([[['b'], 'CONFLICT']])
  expect(answer.body.data).toEqual({ a: { id: expect.stringMatching(/^\d+$/) }, b: null })
  expect((await server.rest('GET', `/platform/users/${userId}`)).status).toBe(200)
})
