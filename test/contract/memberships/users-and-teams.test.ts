import { beforeAll, describe, expect, test } from 'vitest'
import { addMembership, freshId } from '../../server/clients/memberships.ts'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const user = (id: number | string) => `/platform/users/${id}`
const team = (id: number | string) => `/platform/teams/${id}`

describe('provisioning just in time', () => {
  test('a user and a team are unknown until a membership names them', async () => {
    const pair = { user_id: freshId(), team_id: freshId() }
    expect((await server.rest('GET', user(pair.user_id))).status).toBe(404)
    expect((await server.rest('GET', team(pair.team_id))).status).toBe(404)
    await addMembership(server, pair)
    const foundUser = await server.rest('GET', user(pair.user_id))
    expect(foundUser.status).toBe(200)
    expect(foundUser.body).toEqual({ user: { id: pair.user_id, email: null, display_name: null } })
    const foundTeam = await server.rest('GET', team(pair.team_id))
    expect(foundTeam.status).toBe(200)
    expect(foundTeam.body).toEqual({ team: { id: pair.team_id, name: null } })
  })

  test('a refused create makes no records', async () => {
    const userId = freshId()
    const body = { team_membership: { user_id: userId, team_id: 0 } }
    expect((await server.rest('POST', '/platform/team_memberships', { body })).status).toBe(400)
    expect((await server.rest('GET', user(userId))).status).toBe(404)
  })

  test('a user and a team of the same id are two records', async () => {
    const id = freshId()
    await addMembership(server, { user_id: id })
    expect((await server.rest('GET', team(id))).status).toBe(404)
  })
})

describe('saving', () => {
  test('sets details of a user, keeps what is absent and clears what is null', async () => {
    const id = freshId()
    const save = (details: unknown) => server.rest('PUT', user(id), { body: { user: details } })
    const made = await save({ email: 'ann@example.com', display_name: 'Ann Ångström 🎈' })
    expect(made.status).toBe(200)
    expect(made.body).toEqual({ user: { id, email: 'ann@example.com', display_name: 'Ann Ångström 🎈' } })
    expect((await save({ display_name: 'Ann B' })).body).toEqual({
      user: { id, email: 'ann@example.com', display_name: 'Ann B' },
    })
    await save({ email: null })
    expect((await server.rest('GET', user(id))).body).toEqual({
      user: { id, email: null, display_name: 'Ann B' },
    })
  })

  test('sets the name of a team, and a later membership leaves it', async () => {
    const id = freshId()
    const saved = await server.rest('PUT', team(id), { body: { team: { name: 'Second line' } } })
    expect(saved.status).toBe(200)
    expect(saved.body).toEqual({ team: { id, name: 'Second line' } })
    await addMembership(server, { team_id: id })
    expect((await server.rest('GET', team(id))).body).toEqual({ team: { id, name: 'Second line' } })
  })

  test('over GraphQL is seen over REST', async () => {
    const id = freshId()
    const answer = await server.graphql(
      `mutation($id: ID!) {
        saveUser(input: {id: $id, email: "bo@example.com", displayName: "Bo"}) { id email displayName }
        saveTeam(input: {id: $id, name: "First"}) { id name }
      }`,
      { id },
    )
    expect(answer.body).toEqual({
      data: {
        saveUser: { id: String(id), email: 'bo@example.com', displayName: 'Bo' },
        saveTeam: { id: String(id), name: 'First' },
      },
    })
    expect((await server.rest('GET', user(id))).body).toEqual({
      user: { id, email: 'bo@example.com', display_name: 'Bo' },
    })
    expect((await server.rest('GET', team(id))).body).toEqual({ team: { id, name: 'First' } })
  })
})

describe('refusals', () => {
  test.each([
    ['PUT', user(5), { user: { email: 5 } }, '/user/email'],
    ['PUT', user(5), { user: { display_name: ['x'] } }, '/user/display_name'],
    ['PUT', user(5), { team: { name: 'x' } }, '/user'],
    ['PUT', team(5), { team: { name: 7 } }, '/team/name'],
    ['PUT', team(5), { user: {} }, '/team'],
  ])('%s %s with %j is a 400 that points to %s', async (method, path, body, pointer) => {
    const answer = await server.rest<ProblemBody>(method, path, { body })
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('BAD_USER_INPUT')
    expect(answer.body.errors?.map(error => error.pointer)).toEqual([pointer])
  })

  test.each([user('abc'), user('0'), team('1.5'), team('9007199254740992')])('%s is a 400', async path => {
    const answer = await server.rest<ProblemBody>('GET', path)
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('BAD_USER_INPUT')
  })
})
