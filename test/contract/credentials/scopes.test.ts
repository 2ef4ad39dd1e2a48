import { beforeAll, describe, expect, test } from 'vitest'
import { addMembership, freshId } from '../../server/clients/memberships.ts'
import type { Answer } from '../../server/clients/send-request.ts'
import type { GraphqlBody, ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const scopes = ['memberships:read', 'memberships:write', 'tasks:execute'] as const
type Scope = (typeof scopes)[number]

let server: SharedServer
const tokens: Record<string, string> = {}

beforeAll(async () => {
  server = await shareServer()
  for (const scope of scopes)
    tokens[scope] = await server.token({ account: server.account, user: 5, scopes: [scope] })
})

const pair = () => ({ team_membership: { user_id: freshId(), team_id: freshId() } })
const aMembership = async () => `/platform/team_memberships/${(await addMembership(server)).id}`
const task = { name: 'a', sourceCode: 'exit(1)', inputDocument: '{}', options: '{}' }

const restOperations: [string, Scope, (token: string) => Promise<Answer>][] = [
  ['list', 'memberships:read', token => server.rest('GET', '/platform/team_memberships?ids[]=1', { token })],
  ['get', 'memberships:read', async token => server.rest('GET', await aMembership(), { token })],
  [
    'create',
    'memberships:write',
    token => server.rest('POST', '/platform/team_memberships', { token, body: pair() }),
  ],
  [
    'update',
    'memberships:write',
    async token => server.rest('PUT', await aMembership(), { token, body: pair() }),
  ],
  ['delete', 'memberships:write', async token => server.rest('DELETE', await aMembership(), { token })],
  ['get user', 'memberships:read', token => server.rest('GET', '/platform/users/5', { token })],
  [
    'save user',
    'memberships:write',
    token => server.rest('PUT', '/platform/users/5', { token, body: { user: {} } }),
  ],
  [
    'save team',
    'memberships:write',
    token => server.rest('PUT', '/platform/teams/5', { token, body: { team: {} } }),
  ],
  ['get team', 'memberships:read', token => server.rest('GET', '/platform/teams/5', { token })],
  [
    'execute',
    'tasks:execute',
    token => server.rest('POST', '/api/1/endpoint/execute', { token, body: task }),
  ],
]

const field = (document: string, token: string) => server.graphql(document, {}, token)

const graphqlOperations: [string, Scope][] = [
  ['{ teamMembership(id: "1") { id } }', 'memberships:read'],
  ['{ teamMemberships(ids: ["1"]) { id } }', 'memberships:read'],
  ['{ user(id: "5") { id } }', 'memberships:read'],
  ['{ team(id: "5") { id } }', 'memberships:read'],
  ['mutation { addTeamMembership(input: {userId: "900001", teamId: "1"}) { id } }', 'memberships:write'],
  ['mutation { moveTeamMembership(id: "99999999", input: {teamId: "1"}) { id } }', 'memberships:write'],
  ['mutation { removeTeamMembership(id: "99999999") { id } }', 'memberships:write'],
  [
    'mutation { addTeamMemberships(items: [{userId: "900002", teamId: "1"}]) { applied } }',
    'memberships:write',
  ],
  [
    'mutation { moveTeamMemberships(items: [{id: "99999999", teamId: "1"}]) { applied } }',
    'memberships:write',
  ],
  ['mutation { removeTeamMemberships(items: [{id: "99999999"}]) { applied } }', 'memberships:write'],
  ['mutation { saveUser(input: {id: "5"}) { id } }', 'memberships:write'],
  ['mutation { saveTeam(input: {id: "5"}) { id } }', 'memberships:write'],
  [
    'mutation { executeTask(input: {name: "a", sourceCode: "exit(1)", inputDocument: "{}", options: "{}"}) { id } }',
    'tasks:execute',
  ],
]

describe('over REST', () => {
  test.each(restOperations)(
    '%s needs %s: any other scope is a 403 that names it',
    async (_, needed, call) => {
      for (const scope of scopes) {
        const answer = await call(tokens[scope] ?? '')
        if (scope === needed) expect(answer.status, `${scope}: ${answer.text}`).toBeLessThan(300)
        else {
          expect(answer.status, `${scope}: ${answer.text}`).toBe(403)
          expect((answer.body as ProblemBody).code).toBe('FORBIDDEN')
          expect((answer.body as ProblemBody).detail).toContain(needed)
        }
      }
    },
  )
})

describe('over GraphQL', () => {
  test.each(graphqlOperations)('%s needs %s', async (document, needed) => {
    for (const scope of scopes) {
      const { body, text } = await field(document, tokens[scope] ?? '')
      const codes = body.errors?.map(error => error.extensions.code) ?? []
      if (scope === needed) expect(codes, text).not.toContain('FORBIDDEN')
      else expect(codes, `${scope}: ${text}`).toEqual(['FORBIDDEN'])
    }
  })

  test('an operation that lacks its only scope answers HTTP 403', async () => {
    const answer = await field('{ user(id: "5") { id } }', tokens['tasks:execute'] ?? '')
    expect(answer.status).toBe(403)
  })

  test('viewer needs none', async () => {
    for (const scope of scopes) {
      const answer = await field('{ viewer { scopes } }', tokens[scope] ?? '')
      expect(answer.body).toEqual({ data: { viewer: { scopes: [scope] } } })
    }
  })

  test('a write-only credential reads back what it wrote, and no more', async () => {
    const token = tokens['memberships:write'] ?? ''
    const add = (selection: string) =>
      `mutation { addTeamMembership(input: {userId: "${freshId()}", teamId: "1"}) { ${selection} } }`
    expect((await field(add('id userId teamId leader'), token)).body.errors).toBeUndefined()
    const nosy = await field(add('user { memberships { edges { node { id } } } }'), token)
    expect(nosy.body.errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  })
})

describe('through a script', () => {
  test('a caller that may only run tasks reads and writes nothing', async () => {
    const userId = freshId()
    const answer = await server.execute<GraphqlBody[]>(
      `const ask = document => graphql(document)
        .catch(error => ({ errors: [{ message: error.message, extensions: { code: 'FORBIDDEN' } }] }))
       exit([
         await ask('{ user(id: "5") { id } }'),
         await ask('mutation { addTeamMembership(input: {userId: "${userId}", teamId: "1"}) { id } }'),
       ])`,
      { token: tokens['tasks:execute'] ?? '' },
    )
    const [read, write] = answer.body.task_execution.payload
    expect(read?.errors?.[0]?.message).toContain('memberships:read')
    expect(read?.errors?.[0]?.extensions.code).toBe('FORBIDDEN')
    expect(write?.errors?.[0]?.message).toContain('memberships:write')
    expect((await server.rest('GET', `/platform/users/${userId}`)).status).toBe(404)
  })

  test('Platform rejects what the caller may not do', async () => {
    const answer = await server.execute(
      'exit(await Platform.teamMemberships.get(1).then(() => "read", error => error.message))',
      { token: tokens['tasks:execute'] ?? '' },
    )
    expect(answer.body.task_execution.payload).toContain('memberships:read')
  })
})
