import { beforeAll, describe, expect, test } from 'vitest'
import type { GraphqlBody, ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'
import { runInProcess } from '../../server/processes/run-in-process.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const membership = { team_membership: { user_id: 7, team_id: 3 } }
const task = { name: 'a', sourceCode: 'exit(1)', inputDocument: '{}', options: '{}' }

const dataPaths: [string, string, unknown][] = [
  ['GET', '/platform/team_memberships?ids[]=1', undefined],
  ['GET', '/platform/team_memberships/1', undefined],
  ['POST', '/platform/team_memberships', membership],
  ['PUT', '/platform/team_memberships/1', membership],
  ['DELETE', '/platform/team_memberships/1', undefined],
  ['GET', '/platform/users/1', undefined],
  ['PUT', '/platform/users/1', { user: {} }],
  ['GET', '/platform/teams/1', undefined],
  ['PUT', '/platform/teams/1', { team: {} }],
  ['POST', '/api/1/endpoint/execute', task],
  ['POST', '/graphql', { query: '{ viewer { accountCode } }' }],
  ['POST', '/graphql', { query: '{ __schema { types { name } } }' }],
  ['GET', '/graphql?query=%7B__typename%7D', undefined],
]

const badCredentials: [string, Record<string, string>][] = [
  ['no credential', {}],
  ['an unknown token', { authorization: 'Bearer rst_unknownunknownunknownunknown' }],
  ['an empty token', { authorization: 'Bearer ' }],
  ['another scheme', { authorization: `Basic ${btoa('admin:admin-token-of-the-tests')}` }],
  ['the token without its scheme', { authorization: 'admin-token-of-the-tests' }],
  ['the token and more', { authorization: 'Bearer admin-token-of-the-tests x' }],
  ['the token in a cookie', { cookie: 'authorization=Bearer admin-token-of-the-tests' }],
]

describe.each(dataPaths)('%s %s', (method, path, body) => {
  test.each(badCredentials)('with %s is a 401 that asks for Bearer', async (_, headers) => {
    const answer = await server.rest(method, path, {
      token: null,
      headers: { accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
    expect(answer.text).not.toContain('admin-token-of-the-tests')
    if (path.startsWith('/graphql')) {
      expect((answer.body as GraphqlBody).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED')
      expect((answer.body as GraphqlBody).data ?? null).toBeNull()
    } else {
      expect(answer.body as ProblemBody).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
    }
  })
})

test('the token in the URL is no credential', async () => {
  const path = '/platform/team_memberships/1?access_token=admin-token-of-the-tests'
  expect((await server.rest('GET', path, { token: null })).status).toBe(401)
})

test('the scheme is read in any case', async () => {
  const headers = { authorization: 'bEARER admin-token-of-the-tests' }
  const answer = await server.rest('GET', '/platform/team_memberships?ids[]=1', { token: null, headers })
  expect(answer.status).toBe(200)
})

test('a bad credential is refused before the body is read', async () => {
  const answer = await server.rest('POST', '/platform/team_memberships', { token: null, body: '{' })
  expect(answer.status).toBe(401)
})

test('/health and /ready need no credential', async () => {
  expect((await server.rest('GET', '/health', { token: null })).status).toBe(200)
  // 503 while the script of another file has cost the gateway its sandbox.
  await expect.poll(async () => (await server.rest('GET', '/ready', { token: null })).status).toBe(200)
})

test('a revoked token is dead at once, the others live on', async () => {
  const account = `${server.account}-leaver`
  const [token, other] = [await server.token({ account, user: 1 }), await server.token({ account, user: 2 })]
  const viewer = (credential: string) => server.graphql('{ viewer { userId } }', {}, credential)
  expect((await viewer(token)).body.data).toEqual({ viewer: { userId: '1' } })
  const list = await runInProcess('token', ['--list', '--account', account], server.settings)
  const id = /^\s*(\d+)\b/m.exec(list.stdout)?.[1] ?? ''
  const revoked = await runInProcess('token', ['--revoke', id], server.settings)
  expect(revoked.code).toBe(0)
  expect((await viewer(token)).status).toBe(401)
  expect((await viewer(other)).status).toBe(200)
})
