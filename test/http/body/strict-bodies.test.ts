import { beforeAll, expect, test } from 'vitest'
import { prefersStrict } from '../../../src/http/request/prefers-strict.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})

interface Sent {
  readonly method?: string
  readonly prefer?: string | null
  readonly headers?: Record<string, string>
}

async function send(path: string, body: unknown, { method = 'POST', prefer, headers }: Sent = {}) {
  const isForm = body instanceof URLSearchParams
  const answer = await fetch(server.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${server.adminToken}`,
      ...(isForm ? {} : { 'content-type': 'application/json' }),
      ...(prefer === null ? {} : { prefer: prefer ?? 'handling=strict' }),
      ...headers,
    },
    body: isForm ? body : JSON.stringify(body),
  })
  const json = await answer.json()
  const pointers = (json.errors ?? []).map(({ pointer }: { pointer: string }) => pointer)
  return { status: answer.status, applied: answer.headers.get('preference-applied'), json, pointers }
}

const memberships = '/platform/team_memberships'
const cases = '/platform/cases'
const run = { name: 'a', sourceCode: 'exit(1)', inputDocument: { b: { c: 1 } }, options: { d: 1 } }
const execute = '/api/1/endpoint/execute'
const form = (more: Record<string, string>) =>
  new URLSearchParams({ ...run, inputDocument: '{"b":1}', options: '{"d":1}', ...more })

test.each([
  [
    memberships,
    { team_membership: { user_id: 1, team_id: 1, nick: 1 }, 'o/~': 1 },
    ['/team_membership/nick', '/o~1~0'],
  ],
  [cases, { case: { case_type_code: 'x', data: { any: 1 }, datum: 1 }, other: 1 }, ['/case/datum', '/other']],
  [execute, { ...run, source: 1, metadata: { case_type: 'x' } }, ['/source', '/metadata/case_type']],
  [execute, { ...run, version: '1' }, ['/version']],
  [execute, form({ source: '1', 'metadata[case_type]': 'x' }), ['/source', '/metadata[case_type]']],
  ['/api/1/function/none/execute', { inputDocument: 1, sourceCode: '1' }, ['/sourceCode']],
  ['/api/1/case/1/task/none', { params: { any: 1 }, dryRun: true }, ['/dryRun']],
])('%s refuses the unknown fields of %j', async (path, body, pointers) => {
  const refused = await send(path, body)
  expect(refused).toMatchObject({ status: 400, applied: 'handling=strict', json: { code: 'BAD_USER_INPUT' } })
  expect(refused.pointers.toSorted()).toEqual(pointers.toSorted())
  for (const pointer of pointers)
    expect(refused.json.detail).toContain(`\`${pointer.slice(1)}\` is an unknown field`)
  const ignored = await send(path, body, { prefer: null })
  expect(ignored.status).not.toBe(400)
  expect(ignored.applied).toBeNull()
})

test.each([
  ['PUT', { headers: { 'if-none-match': '*' } }, { function: { source_code: 'exit(1)' } }],
  ['DELETE', {}, undefined],
] as const)(
  'a %s of a function refuses an unknown query parameter, and does nothing',
  async (method, more, body) => {
    const path = '/platform/functions/strict-query'
    await send(path, { function: { source_code: 'exit(0)' } }, { method: 'PUT', prefer: null })
    const refused = await send(`${path}?case_type=incident`, body, { method, ...more })
    expect(refused).toMatchObject({
      status: 400,
      applied: 'handling=strict',
      json: { code: 'BAD_USER_INPUT' },
    })
    expect(refused.json.detail).toMatch(/unknown parameter `case_type`; known are `case_type_code`/)
    const { text } = await server.rest('GET', path)
    expect(JSON.parse(text).function.source_code).toBe('exit(0)')
  },
)

test('what a read returns can be sent back, and known fields are accepted at every level', async () => {
  const membership = await send(memberships, { team_membership: { user_id: 50, team_id: 50 } })
  const made = await send(cases, { case: { case_type_code: 'x', data: { any: { thing: 1 } } } })
  expect([membership.status, made.status, made.applied]).toEqual([201, 201, 'handling=strict'])
  for (const [path, { json }, name] of [
    [memberships, membership, 'team_membership'],
    [cases, made, 'case'],
  ] as const) {
    const again = await send(`${path}/${json[name].id}`, json, { method: 'PUT' })
    expect([again.status, again.json[name].id]).toEqual([200, json[name].id])
  }
  const labels = { 'metadata[account_nickname]': 'x', metadata: { case_type_code: 'x' } }
  expect((await send(execute, { ...run, ...labels })).status).toBe(200)
  expect((await send(execute, form({ 'metadata[case_type_code]': 'x' }))).status).toBe(200)
})

test('20 unknown fields are named at most, beside the bad ones', async () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field${index}`, index]))
  for (const [path, body] of [
    [execute, { ...run, name: 1, ...many }],
    [memberships, { team_membership: { user_id: 'x', team_id: 1, ...many } }],
  ] as const) {
    const { status, pointers } = await send(path, body)
    expect([status, pointers.length]).toEqual([400, 21])
  }
})

test('a key that was used without it is for another request', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const body = { team_membership: { user_id: 60, team_id: 60, nick: 1 } }
  expect((await send(memberships, body, { headers, prefer: 'respond-async' })).status).toBe(201)
  expect((await send(memberships, body, { headers, prefer: null })).status).toBe(201)
  const strict = await send(memberships, body, { headers })
  expect([strict.status, strict.json.reason]).toEqual([409, 'KEY_REUSED'])
})

test.each([
  ['handling=strict', true],
  ['HANDLING = Strict', true],
  ['handling="strict"', true],
  ['respond-async, handling=strict; x=1, wait=10', true],
  ['note="a, handling=lenient", handling=strict', true],
  ['handling=strict, handling=lenient', true],
  ['handling=lenient, handling=strict', false],
  ['handling, handling=strict', false],
  ['note="handling=strict"', false],
  ['note="a, handling=strict"', false],
  ['note="a, handling=strict', false],
  ['note="\\"a, handling=strict\\', false],
  ['handling=stricter', false],
  ['x-handling=strict', false],
  ['strict', false],
  ['', false],
])('`Prefer: %s` is strict: %s', (prefer, isStrict) => {
  expect(prefersStrict({ method: 'POST', headers: { prefer } })).toBe(isStrict)
  expect(prefersStrict({ method: 'GET', headers: { prefer } })).toBe(false)
})

test('a function refuses unknown fields beside its source, and takes what a read returns', async () => {
  const path = '/platform/functions/strict'
  const refused = await send(path, { function: { source_code: 'exit(1)', code: 1 }, x: 1 }, { method: 'PUT' })
  expect([refused.status, refused.pointers.toSorted()]).toEqual([400, ['/function/code', '/x']])
  const saved = await send(path, { function: { source_code: 'exit(1)' } }, { method: 'PUT' })
  expect([saved.status, saved.applied]).toEqual([201, 'handling=strict'])
  const { body } = await server.rest<object>('GET', path)
  expect((await send(path, body, { method: 'PUT' })).status).toBe(200)
})

test('a DELETE refuses every field of a body, and removes nothing', async () => {
  const path = '/platform/functions/kept'
  const made = await send(path, { function: { source_code: 'exit(1)' } }, { method: 'PUT' })
  expect(made.status).toBe(201)
  const refused = await send(path, { force: true }, { method: 'DELETE' })
  expect([refused.status, refused.pointers, refused.applied]).toEqual([400, ['/force'], 'handling=strict'])
  for (const [body, kind] of [
    [[], 'an array'],
    [null, '`null`'],
  ]) {
    const { json } = await send(path, body, { method: 'DELETE' })
    expect(json.detail).toBe(`The body must be a JSON object; it is ${kind}.`)
  }
  expect((await server.rest('GET', path)).status).toBe(200)
  const { status } = await server.rest('DELETE', path, { headers: { prefer: 'handling=strict' } })
  expect(status).toBe(204)
})
