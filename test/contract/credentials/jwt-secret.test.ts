import { type CryptoKey, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/credentials/caller.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

const secret = 'a-secret-of-the-tests-with-enough-length'
const claims = { sub: '7', email: 'ann@example.com', name: 'Ann', account: 'beta' }
const now = () => Math.floor(Date.now() / 1000)

let server: TestServer

beforeAll(async () => {
  server = await startServer({ ROSTRUM_JWT_SECRET: secret })
})
afterAll(() => server.stop())

function sign(payload: JWTPayload, key: string | CryptoKey = secret, alg = 'HS256'): Promise<string> {
  const jwt = new SignJWT(payload).setProtectedHeader({ alg }).setIssuedAt()
  if (payload.exp === undefined) jwt.setExpirationTime('5m')
  return jwt.sign(typeof key === 'string' ? new TextEncoder().encode(key) : key)
}

const view = (token: string) =>
  server.graphql<{ viewer: { scopes: string[] } }>(
    '{ viewer { accountCode userId email scopes } }',
    {},
    token,
  )

describe('a JWT signed with the secret', () => {
  test('is its claims: account, user, email', async () => {
    const answer = await view(await sign(claims))
    expect(answer.status).toBe(200)
    expect(answer.body.data?.viewer).toMatchObject({
      accountCode: 'beta',
      userId: '7',
      email: 'ann@example.com',
    })
  })

  test('with four claims lacks `admin`, `functions:write`, `runs:read` and `metrics:read` alone', async () => {
    const token = await sign(claims)
    const answer = await view(token)
    expect(answer.body.data?.viewer.scopes.toSorted()).toEqual(
      scopes
        .filter(scope => !['admin', 'functions:write', 'runs:read', 'metrics:read'].includes(scope))
        .toSorted(),
    )
    const body = { team_membership: { user_id: 7, team_id: 3 } }
    expect((await server.rest('POST', '/platform/team_memberships', { token, body })).status).toBe(201)
  })

  test('with the four claims alone cannot list runs and their inputs', async () => {
    const { status, body } = await server.graphql('{ runs { nodes { input } } }', {}, await sign(claims))
    expect(status).toBe(403)
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', scope: 'runs:read' })
  })

  test('works for an account that nobody made before', async () => {
    const token = await sign({ ...claims, account: 'brand-new' })
    const body = { team_membership: { user_id: 7, team_id: 3 } }
    expect((await server.rest('POST', '/platform/team_memberships', { token, body })).status).toBe(201)
  })

  test('fills current_user of a task', async () => {
    const answer = await server.execute('exit(options.current_user)', { token: await sign(claims) })
    expect(answer.body.task_execution.payload).toEqual({
      id: 7,
      email: 'ann@example.com',
      display_name: 'Ann',
      account_code: 'beta',
    })
  })

  test('whose sub is no integer is a caller without a user id', async () => {
    const answer = await view(await sign({ ...claims, sub: 'auth0|abc' }))
    expect(answer.body.data?.viewer).toMatchObject({ userId: null, accountCode: 'beta' })
  })
})

// What is signed, with which key and algorithm; each must be a 401.
const refused: [string, () => Promise<string>][] = [
  ['signed with another secret', () => sign(claims, 'another-secret-of-the-same-length-or-so')],
  ['expired', () => sign({ ...claims, exp: now() - 60 })],
  ['not valid yet', () => sign({ ...claims, nbf: now() + 600 })],
  ['without an account', () => sign({ sub: '7' })],
  ['with an empty account', () => sign({ ...claims, account: '' })],
  ['with an account that is no text', () => sign({ ...claims, account: 5 })],
  ['with an account that no code may look like', () => sign({ ...claims, account: "x' OR 1=1" })],
  ['without a sub', () => sign({ account: 'beta' })],
  ['unsigned', async () => new UnsecuredJWT(claims).encode()],
  ['signed by a private key', async () => sign(claims, (await generateKeyPair('RS256')).privateKey, 'RS256')],
  ['with a changed payload', async () => tamper(await sign(claims))],
  ['cut short', async () => (await sign(claims)).slice(0, -5)],
  ['without a signature', async () => (await sign(claims)).replace(/[^.]+$/, '')],
  ['of three nothings', async () => '..'],
  [
    'whose key is a public key',
    async () => sign(claims, await exportSPKI((await generateKeyPair('RS256')).publicKey)),
  ],
]

function tamper(token: string): string {
  const [header, payload, signature] = token.split('.')
  const changed = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString())
  const forged = Buffer.from(JSON.stringify({ ...changed, account: 'alpha' })).toString('base64url')
  return `${header}.${forged}.${signature}`
}

test.each(refused)('a JWT %s is a 401', async (_, make) => {
  const token = await make()
  const answer = await view(token)
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
  expect(answer.body.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED')
  if (token.length > 10) expect(answer.text).not.toContain(token)
})

test('API tokens work beside JWTs', async () => {
  expect((await view(server.adminToken)).status).toBe(200)
})
