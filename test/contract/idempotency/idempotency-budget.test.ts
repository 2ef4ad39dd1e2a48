import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMembership, freshId, listMemberships } from '../../server/clients/memberships.ts'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

const keyBytes = 64 * 2 ** 10
const path = '/platform/team_memberships'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ ROSTRUM_ACCOUNT_KEY_BYTES: String(keyBytes) })
})
afterAll(() => server.stop())

let lastKey = 0
const freshKey = () => `key-${++lastKey}`
const scopes = ['memberships:read', 'memberships:write', 'tasks:execute'] as const
const freshToken = () => server.token({ account: `account-${++lastKey}`, scopes })

interface Sent {
  readonly token: string
  readonly key: string
}

const execute = (sourceCode: string, { token, key }: Sent) =>
  server.rest<ProblemBody>('POST', '/api/1/endpoint/execute', {
    token,
    body: { name: 'test', sourceCode, inputDocument: '{}', options: '{}' },
    headers: { 'idempotency-key': key },
  })

const create = (body: object, { token, key }: Sent) =>
  server.rest<ProblemBody & { readonly location: string }>('POST', path, {
    token,
    body: { team_membership: body },
    headers: { 'idempotency-key': key },
  })

// Gives a result of this size, and adds a membership each time it runs.
const script = (teamId: number, bytes: number) =>
  `await Platform.teamMemberships.add({ user_id: ${freshId()} + Math.floor(Math.random() * 1e9), team_id: ${teamId} })
  exit('x'.repeat(${bytes}))`

interface Team {
  readonly team: { readonly memberships: { readonly nodes: readonly unknown[] } }
}

async function countMembers(teamId: number, token: string): Promise<number> {
  const query = `{ team(id: ${teamId}) { memberships(first: 100) { nodes { id } } } }`
  return (await server.graphql<Team>(query, {}, token)).body.data?.team.memberships.nodes.length ?? 0
}

test('a request with an answer too large to store is reported as done and never repeated', async () => {
  const sent = { token: await freshToken(), key: freshKey() }
  const teamId = freshId()
  const large = script(teamId, keyBytes)
  const first = await execute(large, sent)
  expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null])
  expect(first.text.length).toBeGreaterThan(keyBytes)
  for (let time = 1; time <= 3; time += 1) {
    const { status, headers, body } = await execute(large, sent)
    expect([status, headers.get('idempotency-replayed')]).toEqual([409, 'true'])
    expect(headers.get('content-type')).toContain('application/problem+json')
    expect(body).toMatchObject({ code: 'CONFLICT', reason: 'UNKNOWN_OUTCOME', original_status: 200 })
    expect(body.detail).toContain('was done under this `Idempotency-Key` and answered with status 200')
    expect(body.detail).toContain('do not send it again under another key')
  }
  const other = await execute(script(teamId, 1), sent)
  expect(other.body.reason).toBe('KEY_REUSED')
  expect(other.body.detail).toContain('used for another request')
  expect(await countMembers(teamId, sent.token)).toBe(1)
})

test('of 20 at once with an answer too large to store, one is done and the others say so', async () => {
  const sent = { token: await freshToken(), key: freshKey() }
  const teamId = freshId()
  const large = script(teamId, keyBytes)
  const answers = await Promise.all(Array.from({ length: 20 }, () => execute(large, sent)))
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
  expect(await countMembers(teamId, sent.token)).toBe(1)
})

test('on `/graphql` it is reported as an error with the status', async () => {
  const token = await freshToken()
  const query = `mutation { executeTask(input: { name: "t",
    sourceCode: "exit('x'.repeat(${keyBytes}))", inputDocument: "{}", options: "{}" }) { payload } }`
  const send = () =>
    server.rest<{ readonly errors?: unknown }>('POST', '/graphql', {
      token,
      body: { query },
      headers: { 'idempotency-key': 'one' },
    })
  const first = await send()
  expect([first.status, first.body.errors]).toEqual([200, undefined])
  const { status, headers, body } = await send()
  expect([status, headers.get('idempotency-replayed')]).toEqual([409, 'true'])
  expect(body).toEqual({
    errors: [
      {
        message: expect.stringContaining('was done under this `Idempotency-Key`'),
        extensions: { code: 'CONFLICT', reason: 'UNKNOWN_OUTCOME', originalStatus: 200 },
      },
    ],
  })
})

test('past three quarters of an account, answers are stored without their body, and say where the row is', async () => {
  const token = await freshToken()
  expect((await execute(`exit('x'.repeat(${keyBytes * 0.7}))`, { token, key: 'large' })).status).toBe(200)
  const rows: { key: string; body: object; location: string | null }[] = []
  for (let count = 1; count <= 5; count += 1) {
    const [key, body] = [freshKey(), { user_id: freshId(), team_id: freshId() }]
    const { status, headers } = await create(body, { token, key })
    expect(status).toBe(201)
    rows.push({ key, body, location: headers.get('location') })
  }
  const last = rows.at(-1) ?? expect.unreachable()
  const again = await create(last.body, { token, key: last.key })
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([409, 'true'])
  expect(again.body).toMatchObject({ original_status: 201, location: last.location })
  const other = await server.rest('GET', String(last.location), { token })
  expect(other.body).toMatchObject({ team_membership: last.body })
  expect((await execute(`exit('x'.repeat(${keyBytes * 0.7}))`, { token, key: 'large' })).status).toBe(200)
})

test('when an account has spent all, a new key is 429 and nothing is done; other keys and accounts go on', async () => {
  const token = await freshToken()
  const teamId = freshId()
  const bodies = Array.from({ length: 80 }, () => ({ user_id: freshId(), team_id: teamId }))
  const answers = []
  for (const [index, body] of bodies.entries()) answers.push(await create(body, { token, key: `n-${index}` }))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(10)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 429]))
  expect(refused[0]?.headers.get('retry-after')).toBe('60')
  expect(refused[0]?.body).toMatchObject({
    code: 'OVERLOADED',
    detail: expect.stringContaining('Nothing was done'),
  })
  expect(await countMembers(teamId, token)).toBe(80 - refused.length)

  const first = bodies[0] ?? expect.unreachable()
  const again = await create(first, { token, key: 'n-0' })
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
  expect((await addMembership(server, {}, token)).id).toBeGreaterThan(0)
  const other = await create(first, { token: await freshToken(), key: 'n-79' })
  expect(other.status).toBe(201)
})

test('a request that came to nothing gives its place back', async () => {
  const token = await server.token({ account: `account-${++lastKey}`, scopes: ['memberships:read'] })
  for (let count = 1; count <= 100; count += 1) {
    const { status } = await create({ user_id: 1, team_id: 1 }, { token, key: freshKey() })
    expect(status).toBe(403)
  }
  const { id } = await addMembership(server)
  expect(await listMemberships(server, [id])).toHaveLength(1)
})
