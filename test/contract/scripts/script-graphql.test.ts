import { beforeAll, describe, expect, test } from 'vitest'
import { addMembership, freshId } from '../../server/clients/memberships.ts'
import type { GraphqlBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

async function run<P = GraphqlBody>(
  sourceCode: string,
  inputDocument: unknown = {},
  token = server.adminToken,
) {
  return (await server.execute<P>({ sourceCode, inputDocument }, { token })).body.task_execution
}

describe('graphql() without a url', () => {
  test('resolves to the JSON of the gateway itself, with variables', async () => {
    const row = await addMembership(server)
    const sourceCode = `exit(await graphql(
      'query($id: ID!) { teamMembership(id: $id) { id user { id } } viewer { accountCode } }', { id: payload.id }))`
    expect((await run(sourceCode, row)).payload).toEqual({
      data: {
        teamMembership: { id: String(row.id), user: { id: String(row.user_id) } },
        viewer: { accountCode: server.account },
      },
    })
  })

  test('has the rights of the caller: account, user and scopes', async () => {
    const token = await server.token({ account: 'beta', user: 12, scopes: ['tasks:execute'] })
    const { payload } = await run(
      "exit(await graphql('{ viewer { accountCode userId scopes } }'))",
      {},
      token,
    )
    expect(payload.data).toEqual({ viewer: { accountCode: 'beta', userId: '12', scopes: ['tasks:execute'] } })
  })

  test('adds, moves and removes memberships', async () => {
    const [user, team, other] = [freshId(), freshId(), freshId()]
    const sourceCode = `const call = async (document, variables) => (await graphql(document, variables)).data
      const { a } = await call(
        'mutation($u: ID!, $t: ID!) { a: addTeamMembership(input: {userId: $u, teamId: $t}) { id } }',
        { u: payload.user, t: payload.team })
      const { m } = await call(
        'mutation($id: ID!, $t: ID!) { m: moveTeamMembership(id: $id, input: {teamId: $t}) { teamId } }',
        { id: a.id, t: payload.other })
      const { r } = await call('mutation($id: ID!) { r: removeTeamMembership(id: $id) { id } }', { id: a.id })
      exit([m.teamId, r.id === a.id,
        (await call('query($id: ID!) { q: teamMembership(id: $id) { id } }', { id: a.id })).q])`
    expect((await run<unknown[]>(sourceCode, { user, team, other })).payload).toEqual([
      String(other),
      true,
      null,
    ])
  })

  test('resolves where the answer is a 200 with errors', async () => {
    const { payload } = await run(
      `exit(await graphql('mutation { removeTeamMembership(id: "99999999") { id } }'))`,
    )
    expect(payload.errors?.[0]?.extensions.code).toBe('NOT_FOUND')
    expect(payload.errors?.[0]?.message).toContain('99999999')
  })

  test('rejects past a bound', async () => {
    const document = `{ ${'viewer { email } '.repeat(300)} }`
    const { payload } = await run<string>(
      `exit(await graphql(payload).then(answer => JSON.stringify(answer), error => 'rejected: ' + error.message))`,
      JSON.stringify(document),
    )
    expect(payload).toMatch(/^rejected: .*root/i)
  })

  test.each([
    'graphql()',
    'graphql(5)',
    'graphql("{ viewer { email } }", "variables")',
    'graphql("{ x }", {}, 5)',
  ])('%s ends neither the run nor the gateway', async call => {
    const { outcome, payload } = await run<string>(
      `exit(await Promise.resolve().then(() => ${call}).then(() => 'resolved', error => error.message))`,
    )
    expect(outcome).toBe('exit')
    expect(payload).not.toBe('')
  })

  test('a rejection that nobody catches is a RUNTIME error with its message', async () => {
    const { outcome, error } = await run('await graphql("{ x }", {}, "https://not-on-the-list.example/")')
    expect(outcome).toBe('error')
    expect(error).toMatchObject({
      code: 'RUNTIME',
      line: 1,
      message: expect.stringContaining('not-on-the-list.example'),
    })
  })

  test('runs calls at once and in any order of answers', async () => {
    const sourceCode = `const answers = await Promise.all(Array.from({ length: 30 }, (_, i) =>
        graphql('query($id: ID!) { teamMembership(id: $id) { id } v: viewer { accountCode } }',
          { id: String(i + 1000000) })))
      exit(answers.every(answer => answer.data.v.accountCode === '${server.account}'))`
    expect((await run<boolean>(sourceCode)).payload).toBe(true)
  })
})

describe('graphql() with a url', () => {
  // None is on the list, which is empty by default.
  test.each([
    'https://example.com/graphql',
    'http://example.com/graphql',
    'http://127.0.0.1:{PORT}/graphql',
    'http://localhost:{PORT}/graphql',
    'http://[::1]:{PORT}/graphql',
    'http://[::ffff:127.0.0.1]:{PORT}/graphql',
    'http://0.0.0.0:{PORT}/graphql',
    'http://2130706433:{PORT}/graphql',
    'http://0x7f.1:{PORT}/graphql',
    'http://10.0.0.1/graphql',
    'http://169.254.169.254/latest/meta-data/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:application/json,{"data":1}',
    'unix:/var/run/x.sock',
    'javascript:1',
    'not a url',
    '/graphql',
  ])('%s is refused with a message that says why', async url => {
    const target = url.replace('{PORT}', new URL(server.baseUrl).port)
    const { payload } = await run<unknown[]>(
      `exit(await graphql("{ viewer { email } }", {}, payload)
        .then(() => ["resolved"], error => [error instanceof Error, error.message]))`,
      JSON.stringify(target),
    )
    expect(payload).toEqual([
      true,
      expect.stringMatching(/allow|list|ROSTRUM_GRAPHQL_HOSTS|http|url|loopback|private/i),
    ])
  })
})
