import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Scope } from '../../src/credentials/caller.ts'
import { startApp, type TestApp } from '../http/edge/start-app.ts'

let app: TestApp
const tokens = {} as Record<Scope, string>

beforeAll(async () => {
  app = await startApp()
  for (const scope of ['memberships:read', 'memberships:write', 'tasks:execute', 'admin'] as const) {
    tokens[scope] = await app.issueToken('demo', [scope])
  }
  const added = await app.graphql('mutation { addTeamMembership(input: { userId: 7, teamId: 3 }) { id } }')
  expect(added.body.errors).toBeUndefined()
})

afterAll(() => app.close())

const task = '{ name: "a", sourceCode: "exit(1)", inputDocument: "{}", options: "{}" }'

// The scope of each operation. Each is tried with every single scope.
const operations: [Scope, string, string][] = [
  ['memberships:read', 'Query.teamMembership', '{ teamMembership(id: 1) { id } }'],
  ['memberships:read', 'Query.teamMemberships', '{ teamMemberships(ids: [1]) { id } }'],
  ['memberships:read', 'Query.user', '{ user(id: 7) { id } }'],
  ['memberships:read', 'Query.team', '{ team(id: 3) { id } }'],
  [
    'memberships:write',
    'Mutation.addTeamMembership',
    'mutation { addTeamMembership(input: { userId: 8, teamId: 3 }) { id } }',
  ],
  [
    'memberships:write',
    'Mutation.moveTeamMembership',
    'mutation { moveTeamMembership(id: 1, input: { teamId: 4 }) { id } }',
  ],
  ['memberships:write', 'Mutation.removeTeamMembership', 'mutation { removeTeamMembership(id: 99) { id } }'],
  [
    'memberships:write',
    'Mutation.addTeamMemberships',
    'mutation { addTeamMemberships(items: [{ userId: 9, teamId: 3 }]) { applied } }',
  ],
  [
    'memberships:write',
    'Mutation.moveTeamMemberships',
    'mutation { moveTeamMemberships(items: [{ id: 99, teamId: 4 }]) { applied } }',
  ],
  [
    'memberships:write',
    'Mutation.removeTeamMemberships',
    'mutation { removeTeamMemberships(items: [{ id: 99 }]) { applied } }',
  ],
  ['memberships:write', 'Mutation.saveUser', 'mutation { saveUser(input: { id: 7 }) { id } }'],
  ['memberships:write', 'Mutation.saveTeam', 'mutation { saveTeam(input: { id: 3 }) { id } }'],
  ['tasks:execute', 'Mutation.executeTask', `mutation { executeTask(input: ${task}) { id } }`],
]

for (const [needed, field, query] of operations) {
  test(`${field} needs \`${needed}\` or \`admin\``, async () => {
    for (const scope of Object.keys(tokens) as Scope[]) {
      const { status, body } = await app.graphql(query, {}, tokens[scope])
      const codes = body.errors?.map((error: { extensions: { code: string } }) => error.extensions.code) ?? []
      if (scope === needed || scope === 'admin') {
        expect(codes, scope).not.toContain('FORBIDDEN')
        continue
      }
      expect(status, scope).toBe(403)
      expect(codes, scope).toEqual(['FORBIDDEN'])
      expect(body.errors[0].message).toContain(`\`${needed}\``)
      expect(body.errors[0].message).toContain(`\`${field}\``)
    }
  })
}

test('a credential that may only write can read what it changed and nothing else', async () => {
  const write = tokens['memberships:write']
  const moved = await app.graphql(
    'mutation { moveTeamMembership(id: 1, input: { teamId: 5 }) { id userId teamId leader version } }',
    {},
    write,
  )
  expect(moved.body.data.moveTeamMembership).toMatchObject({
    id: '1',
    userId: '7',
    teamId: '5',
    leader: null,
  })

  for (const field of ['user { id }', 'team { id }']) {
    const query = `mutation { moveTeamMembership(id: 1, input: { teamId: 5 }) { ${field} } }`
    const { body } = await app.graphql(query, {}, write)
    expect(body.errors[0].extensions, field).toMatchObject({ code: 'FORBIDDEN', scope: 'memberships:read' })
  }
  const saved = await app.graphql(
    'mutation { saveUser(input: { id: 7 }) { id memberships { nodes { id } } } }',
    {},
    write,
  )
  expect(saved.body.data.saveUser).toEqual({ id: '7', memberships: null })
  expect(saved.body.errors[0].extensions.code).toBe('FORBIDDEN')
  expect(saved.status).toBe(200)
})

// The fast path answers the first type, and Yoga the second.
describe.each(['application/json', 'application/json; Charset=utf-8'])('an answer to `%s`', contentType => {
  async function send(query: string, scope: Scope | Scope[], more: Record<string, string> = {}) {
    const token = typeof scope === 'string' ? tokens[scope] : await app.issueToken('demo', scope)
    const headers = { 'content-type': contentType, ...more }
    const { status, body } = await app.send('/graphql', { method: 'POST', token, headers, body: { query } })
    return { status, data: body.data, paths: body.errors?.map(({ path }: { path: string[] }) => path[0]) }
  }

  test('is 403 only if the scopes of all root fields are missing', async () => {
    const retry = 'retry: retryQueuedRuns'
    const [save, cases] = ['saveTeam(input: { id: 3 }) { id }', 'cases { nodes { id } }']
    const nothing = { status: 403, data: null }
    expect(await send(`mutation { ${retry} }`, 'tasks:execute')).toMatchObject(nothing)
    expect(await send(`mutation { ${save} ${retry} }`, 'tasks:execute')).toMatchObject(nothing)
    expect(await send(`mutation { ${retry} ${save} }`, 'tasks:execute')).toMatchObject(nothing)
    expect(await send(`{ ${cases} team(id: 3) { id } }`, 'tasks:execute')).toMatchObject(nothing)
    const refused = `mutation { ...Changes } fragment Changes on Mutation { ${save} ${retry} @skip(if: false) }`
    expect(await send(refused, 'tasks:execute')).toMatchObject(nothing)

    const some = { status: 200, data: null }
    expect(await send(`mutation { ${save} ${retry} }`, 'memberships:write')).toMatchObject(some)
    expect(await send(`mutation { ${retry} ${save} }`, 'memberships:write')).toMatchObject(some)
    const read = `{ viewer { accountCode } team(id: 3) { id } ${cases} }`
    expect(await send(read, 'memberships:read')).toMatchObject(some)
    expect(await send(`{ ${cases} viewer { accountCode } }`, 'memberships:read')).toMatchObject(some)
    const skipped = `query ($no: Boolean! = false) { viewer @include(if: $no) { accountCode } ${cases} }`
    expect(await send(skipped, 'memberships:read')).toMatchObject(nothing)
    expect(await send('{ user(id: 3) { id } case(id: 99) { id } }', ['cases:read'])).toEqual({
      ...{ status: 200, data: { user: null, case: null } },
      paths: ['user'],
    })
  })

  test('under a key is repeated if it changed something', async () => {
    const key = `some-${contentType.length}`
    const query = `mutation {
      saveTeam(input: { id: 12, name: "Blue" }) { id }
      retryQueuedRuns
    }`
    const first = await send(query, 'memberships:write', { 'idempotency-key': key })
    const again = await app.send('/graphql', {
      ...{ method: 'POST', token: tokens['memberships:write'], body: { query } },
      headers: { 'content-type': contentType, 'idempotency-key': key },
    })
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })
})

test('viewer needs no scope', async () => {
  const { status, body } = await app.graphql('{ viewer { accountCode scopes } }', {}, tokens['tasks:execute'])
  expect(status).toBe(200)
  expect(body.data.viewer).toEqual({ accountCode: 'demo', scopes: ['tasks:execute'] })
})

test('the stored bytes of an account are for `admin`', async () => {
  const query = '{ viewer { accountCode storedBytes } }'
  const { body } = await app.graphql(query, {}, tokens.admin)
  expect(body.data.viewer.storedBytes).toBeGreaterThan(0)
  const refused = await app.graphql(query, {}, tokens['memberships:write'])
  expect(refused.body.data.viewer).toEqual({ accountCode: 'demo', storedBytes: null })
  expect(refused.body.errors[0].extensions).toMatchObject({ code: 'FORBIDDEN', scope: 'admin' })
})
