import { beforeAll, describe, expect, test } from 'vitest'
import { addMembership, freshId, listMemberships } from '../../server/clients/memberships.ts'
import type { MembershipBody, ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const path = '/platform/team_memberships'
let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const create = (fields: unknown) =>
  server.rest<MembershipBody>('POST', path, { body: { team_membership: fields } })
const update = (id: number, fields: unknown) =>
  server.rest<MembershipBody>('PUT', `${path}/${id}`, { body: { team_membership: fields } })

describe('creating', () => {
  test('answers 201 with the new id, a null leader and a Location that leads to it', async () => {
    const answer = await create({ user_id: 7, team_id: 3 })
    expect(answer.status).toBe(201)
    const { id } = answer.body.team_membership
    expect(Number.isSafeInteger(id)).toBe(true)
    expect(answer.body).toEqual({ team_membership: { id, user_id: 7, team_id: 3, leader: null } })
    const location = new URL(answer.headers.get('location') ?? '', server.baseUrl)
    expect(location.pathname).toBe(`${path}/${id}`)
    expect((await server.rest('GET', location.pathname)).body).toEqual(answer.body)
  })

  test('takes the greatest safe integer as an id of user and team', async () => {
    const answer = await create({ user_id: Number.MAX_SAFE_INTEGER, team_id: Number.MAX_SAFE_INTEGER })
    expect(answer.status).toBe(201)
    expect(answer.body.team_membership.user_id).toBe(Number.MAX_SAFE_INTEGER)
    expect((await server.rest('GET', `/platform/users/${Number.MAX_SAFE_INTEGER}`)).status).toBe(200)
  })

  test('ignores unknown fields, `id` and `leader`', async () => {
    const body = {
      team_membership: { id: 999_999, user_id: 70, team_id: 3, leader: true, x: { y: 1 } },
      z: 1,
    }
    const answer = await server.rest<MembershipBody>('POST', path, { body })
    expect(answer.status).toBe(201)
    expect(answer.body.team_membership).toMatchObject({ user_id: 70, team_id: 3, leader: null })
    expect(answer.body.team_membership.id).not.toBe(999_999)
  })

  test('refuses a pair that exists with a 409 that names its id', async () => {
    const existing = await addMembership(server)
    const answer = await server.rest<ProblemBody>('POST', path, { body: { team_membership: existing } })
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({ code: 'CONFLICT', reason: 'PAIR_EXISTS' })
    expect(answer.body.detail).toMatch(new RegExp(`\\b${existing.id}\\b`))
  })

  test('never gives an id again', async () => {
    const pair = { user_id: freshId(), team_id: freshId() }
    const removed = await addMembership(server, pair)
    await server.rest('DELETE', `${path}/${removed.id}`)
    expect((await addMembership(server, pair)).id).toBeGreaterThan(removed.id)
  })
})

describe('updating', () => {
  test('reassigns to another team, to another user, or to both, under the same id', async () => {
    const { id, user_id } = await addMembership(server)
    const team = freshId()
    const moved = await update(id, { team_id: team })
    expect(moved.status).toBe(200)
    expect(moved.body).toEqual({ team_membership: { id, user_id, team_id: team, leader: null } })
    const user = freshId()
    expect((await update(id, { user_id: user })).body.team_membership).toMatchObject({
      id,
      user_id: user,
      team_id: team,
    })
    const both = { user_id: freshId(), team_id: freshId() }
    expect((await update(id, both)).body.team_membership).toEqual({ id, ...both, leader: null })
    expect(await listMemberships(server, [id])).toEqual([{ id, ...both, leader: null }])
  })

  test('makes the records of the user and team it names', async () => {
    const { id } = await addMembership(server)
    const both = { user_id: freshId(), team_id: freshId() }
    await update(id, both)
    expect((await server.rest('GET', `/platform/users/${both.user_id}`)).status).toBe(200)
    expect((await server.rest('GET', `/platform/teams/${both.team_id}`)).status).toBe(200)
  })

  test('ignores unknown fields, `id` and `leader`', async () => {
    const before = await addMembership(server)
    const team = freshId()
    const answer = await update(before.id, { id: before.id + 500, leader: true, team_id: team, x: 1 })
    expect(answer.body.team_membership).toEqual({ ...before, team_id: team })
  })

  test('onto an existing pair is a 409 that names its id and changes nothing', async () => {
    const one = await addMembership(server)
    const other = await addMembership(server)
    const answer = await server.rest<ProblemBody>('PUT', `${path}/${one.id}`, {
      body: { team_membership: { user_id: other.user_id, team_id: other.team_id } },
    })
    expect(answer.status).toBe(409)
    expect(answer.body.code).toBe('CONFLICT')
    expect(answer.body.detail).toMatch(new RegExp(`\\b${other.id}\\b`))
    expect(await listMemberships(server, [one.id, other.id])).toEqual([one, other])
  })

  test('to the values it has answers 200', async () => {
    const before = await addMembership(server)
    const answer = await update(before.id, { user_id: before.user_id, team_id: before.team_id })
    expect(answer.status).toBe(200)
    expect(answer.body.team_membership).toEqual(before)
  })

  test('an unknown id is a 404 and makes no records', async () => {
    const user = freshId()
    expect((await update(99_999_999, { user_id: user, team_id: 3 })).status).toBe(404)
    expect((await server.rest('GET', `/platform/users/${user}`)).status).toBe(404)
  })
})

describe('deleting', () => {
  test.each([
    ['without headers of a body', {}],
    ['with a JSON content type and no body', { 'content-type': 'application/json' }],
  ])('%s answers 204 with no body, then 404', async (_, headers) => {
    const { id } = await addMembership(server)
    const answer = await server.rest('DELETE', `${path}/${id}`, { headers })
    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    expect(answer.headers.get('content-type')).toBeNull()
    expect((await server.rest('GET', `${path}/${id}`)).status).toBe(404)
    expect((await server.rest('DELETE', `${path}/${id}`)).status).toBe(404)
  })

  test('lets the user and the team stay known', async () => {
    const { id, user_id, team_id } = await addMembership(server)
    await server.rest('DELETE', `${path}/${id}`)
    expect((await server.rest('GET', `/platform/users/${user_id}`)).status).toBe(200)
    expect((await server.rest('GET', `/platform/teams/${team_id}`)).status).toBe(200)
  })
})
