import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

const path = '/platform/team_memberships/1'

test.each([
  ['bearer', 404],
  ['BEARER', 404],
  ['Bearer ', 404],
  ['Basic', 401],
  ['Token', 401],
])('the scheme `%s` gets a %i', async (scheme, status) => {
  const answer = await app.send(path, {
    token: null,
    headers: { authorization: `${scheme} ${app.adminToken}` },
  })
  expect(answer.status).toBe(status)
})

test.each(['', 'Bearer', 'Bearer  ', 'Bearer a b', 'Bearer tökén', `Bearer ${'x'.repeat(9_000)}`])(
  'the header `%.20s` is a 401',
  async authorization => {
    const headers = { authorization: Buffer.from(authorization).toString('latin1') }
    const answer = await app.send(path, { token: null, headers })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /)
  },
)

test('a token works in its own account until it is revoked', async () => {
  const token = await app.issueToken('beta', ['memberships:read'])
  const before = await app.graphql('{ viewer { accountCode scopes } }', {}, token)
  expect(before.body.data.viewer).toEqual({ accountCode: 'beta', scopes: ['memberships:read'] })
  const [row] = await app.app.store.tokens.list('beta')
  expect(await app.app.store.tokens.revoke(row?.id ?? 0)).toBe(true)
  const after = await app.graphql('{ viewer { accountCode } }', {}, token)
  expect(after.status).toBe(401)
})

test('a token in a query string, a cookie or a body is ignored', async () => {
  const { adminToken: token } = app
  expect((await app.send(`${path}?access_token=${token}`, { token: null })).status).toBe(401)
  expect((await app.send(path, { token: null, headers: { cookie: `session=${token}` } })).status).toBe(401)
  const body = { query: '{ viewer { email } }', access_token: token }
  expect((await app.send('/graphql', { method: 'POST', token: null, body })).status).toBe(401)
})

test('no token is logged', async () => {
  const token = await app.issueToken('demo')
  await app.send(path, { token })
  await app.send(path, { token: `${token}x` })
  await app.graphql(`{ viewer { email } user(id: "${token}") { id } }`, {}, token)
  expect(app.logLines.length).toBeGreaterThan(2)
  expect(app.logLines.join('')).not.toContain(token)
})
