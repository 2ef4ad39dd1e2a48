import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../edge/start-app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

const path = '/platform/team_memberships'
let nextUser = 100

/** A fresh membership, so that no test depends on another. */
async function add(teamId = 3): Promise<number> {
  nextUser += 1
  const body = { team_membership: { user_id: nextUser, team_id: teamId } }
  const created = await app.send(path, { method: 'POST', body })
  expect(created.status).toBe(201)
  return created.body.team_membership.id
}

describe('a created membership', () => {
  test('is answered with its place, its version and integers alone', async () => {
    const body = { team_membership: { user_id: 7, team_id: 3, id: 99, leader: true, more: {} }, other: 1 }
    const { status, headers, body: answer } = await app.send(path, { method: 'POST', body })
    expect(status).toBe(201)
    const { id } = answer.team_membership
    expect(answer).toEqual({ team_membership: { id, user_id: 7, team_id: 3, leader: null } })
    expect(id).not.toBe(99)
    expect(headers.get('location')).toBe(`${path}/${id}`)
    expect(headers.get('etag')).toBe('"1"')
    const followed = await app.send(headers.get('location') ?? '')
    expect(followed.body).toEqual(answer)
  })

  test('that exists is a 409 that names it', async () => {
    const id = await add(50)
    const { body } = await app.send(`${path}/${id}`)
    const again = await app.send(path, { method: 'POST', body })
    expect(again.status).toBe(409)
    expect(again.body).toMatchObject({ code: 'CONFLICT', existing_id: id })
    expect(again.body.detail).toContain(`\`${id}\``)
  })
})

describe('ids[]', () => {
  test('is taken plain, encoded and mixed, in the order of the request, each once', async () => {
    const [a, b] = [await add(), await add()]
    const query = `ids[]=${b}&ids%5B%5D=${a}&ids[]=${b}&ids[]=999999&ids=${a}&ids[0]=${a}`
    const { status, body } = await app.send(`${path}?${query}`)
    expect(status).toBe(200)
    expect(body.team_memberships.map(({ id }: { id: number }) => id)).toEqual([b, a])
  })

  test.each(['', 'ids=1', 'ids[0]=1', 'page=1', '__proto__[x]=1'])('is missing in `%s`', async query => {
    const { status, body } = await app.send(`${path}?${query}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 })
    expect(body.detail).toContain('ids[]')
  })

  test.each(['x', '1.5', '1e3', '0x10', '-1', '0', '007', '9007199254740992', ' 1', '', '1,2'])(
    'that is `%s` is a 400 that names the value',
    async value => {
      const { status, body } = await app.send(`${path}?ids[]=1&ids[]=${encodeURIComponent(value)}`)
      expect(status).toBe(400)
      expect(body.detail).toContain(`\`${value}\``)
    },
  )

  test('can be 1,000 of 16 digits each, and no more', async () => {
    const ids = (count: number) =>
      Array.from({ length: count }, (_, index) => `ids%5B%5D=${9_000_000_000_000_000 + index}`).join('&')
    const most = await app.send(`${path}?${ids(1_000)}`)
    expect(most.status).toBe(200)
    const more = await app.send(`${path}?${ids(1_001)}`)
    expect(more.status).toBe(400)
    expect(more.body.detail).toBe(
      'A request can have at most 1000 items in one list; this one has 1001: ask in several calls.',
    )
  })
})

describe('If-Match', () => {
  const put = (id: number, ifMatch: string, teamId: number) =>
    app.send(`${path}/${id}`, {
      method: 'PUT',
      headers: { 'if-match': ifMatch },
      body: { team_membership: { team_id: teamId } },
    })

  test.each(['"1"', '*', '"9", "1"', '"x" , "1"', 'W/"2", "1"'])('%s matches version 1', async ifMatch => {
    const moved = await put(await add(), ifMatch, 4)
    expect(moved.status).toBe(200)
    expect(moved.headers.get('etag')).toBe('"2"')
  })

  test.each(['"2"', 'W/"1"', '1', 'nonsense', '""', '"01"', '"99999999999"'])(
    '%s matches nothing',
    async ifMatch => {
      const id = await add()
      const refused = await put(id, ifMatch, 4)
      expect(refused.status).toBe(412)
      expect(refused.body.code).toBe('PRECONDITION_FAILED')
      const kept = await app.send(`${path}/${id}`)
      expect(kept.body.team_membership.team_id).toBe(3)
    },
  )

  test('guards a DELETE as well; an unknown id stays a 404', async () => {
    const id = await add()
    const headers = { 'if-match': '"2"' }
    expect((await app.send(`${path}/${id}`, { method: 'DELETE', headers })).status).toBe(412)
    expect((await app.send(`${path}/999999`, { method: 'DELETE', headers })).status).toBe(404)
    expect(
      (await app.send(`${path}/999999`, { method: 'DELETE', headers: { 'if-match': '*' } })).status,
    ).toBe(404)
    const gone = await app.send(`${path}/${id}`, { method: 'DELETE', headers: { 'if-match': '*' } })
    expect(gone.status).toBe(204)
    expect(gone.text).toBe('')
    expect(gone.headers.get('content-type')).toBeNull()
  })
})

test('a DELETE that names a JSON body but has none is taken', async () => {
  const headers = { 'content-type': 'application/json' }
  expect((await app.send(`${path}/${await add()}`, { method: 'DELETE', headers })).status).toBe(204)
})

test('users and teams are read and saved: what is left out stays, null clears', async () => {
  const put = (kind: string, body: unknown) => app.send(`/platform/${kind}/7000`, { method: 'PUT', body })
  await put('users', { user: { email: 'ann@example.com', display_name: 'Ann' } })
  const cleared = await put('users', { user: { email: null } })
  expect(cleared.body).toEqual({ user: { id: 7000, email: null, display_name: 'Ann' } })
  expect((await app.send('/platform/users/7000')).body).toEqual(cleared.body)

  await put('teams', { team: { name: 'Blue' } })
  expect((await put('teams', { team: {} })).body).toEqual({ team: { id: 7000, name: 'Blue' } })
  expect((await app.send('/platform/teams/7000')).body).toEqual({ team: { id: 7000, name: 'Blue' } })
})
