import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/start-app.ts'

const secret = 'a secret of more than thirty-two bytes, for tests'
const claims = { sub: '7', account: 'acme', email: 'ann@example.com', name: 'Ann' }

const soon = () => Math.floor(Date.now() / 1_000) + 60

function signHmac(
  payload: JWTPayload,
  { alg = 'HS256', key = secret, exp = soon() as number | undefined } = {},
) {
  const jwt = new SignJWT(payload).setProtectedHeader({ alg })
  return (exp === undefined ? jwt : jwt.setExpirationTime(exp)).sign(new TextEncoder().encode(key))
}

async function askViewer(app: TestApp, token: string) {
  const { status, headers, body } = await app.graphql(
    '{ viewer { accountCode userId email scopes } }',
    {},
    token,
  )
  return {
    status,
    challenge: headers.get('www-authenticate'),
    viewer: body.data?.viewer,
    error: body.errors?.[0],
  }
}

describe('with a secret', () => {
  let app: TestApp
  const viewer = async (token: string) => (await askViewer(app, token)).viewer

  beforeAll(async () => {
    app = await startApp({ ROSTRUM_JWT_SECRET: secret })
  })
  afterAll(() => app.close())

  test.each([
    'HS256',
    'HS384',
    'HS512',
  ])('a token signed by %s names its caller; without scopes it has all but admin', async alg => {
    expect(await viewer(await signHmac(claims, { alg }))).toEqual({
      accountCode: 'acme',
      userId: '7',
      email: 'ann@example.com',
      scopes: ['memberships:read', 'memberships:write', 'tasks:execute'],
    })
  })

  test.each([
    [{ scope: 'memberships:read openid' }, ['memberships:read']],
    [{ scopes: ['tasks:execute', 'nonsense', 5] }, ['tasks:execute']],
    [{ scp: ['admin'] }, ['admin']],
    [{ scope: '' }, []],
    [{ scope: 7 }, []],
  ])('the claim %j gives the scopes %j', async (claim, expected) => {
    expect((await viewer(await signHmac({ ...claims, ...claim }))).scopes).toEqual(expected)
  })

  test.each([
    'ann',
    '0',
    '-7',
    '7.5',
    '007',
    '9007199254740992',
    ' 7',
  ])('the subject `%s` is no user id', async sub => {
    expect(await viewer(await signHmac({ ...claims, sub }))).toMatchObject({
      accountCode: 'acme',
      userId: null,
    })
  })

  test('the account is made when its first token comes', async () => {
    const token = await signHmac({ ...claims, account: 'fresh-one' })
    const added = await app.graphql(
      'mutation { addTeamMembership(input: { userId: 1, teamId: 1 }) { id } }',
      {},
      token,
    )
    expect(added.body.data.addTeamMembership.id).toMatch(/^\d+$/)
  })

  test.each<[string, () => Promise<string>]>([
    ['expired', () => signHmac(claims, { exp: soon() - 120 })],
    ['not valid yet', () => signHmac({ ...claims, nbf: soon() })],
    ['signed with another secret', () => signHmac(claims, { key: `${secret}!` })],
    ['unsigned', async () => new UnsecuredJWT(claims).setExpirationTime(soon()).encode()],
    ['without an account', () => signHmac({ sub: '7' })],
    ['of an account that is none', () => signHmac({ ...claims, account: '../etc' })],
    ['without a subject', () => signHmac({ account: 'acme' })],
    [
      'changed in its claims',
      async () =>
        (await signHmac(claims)).replace(
          /\.[^.]+\./,
          `.${Buffer.from('{"sub":"1","account":"demo"}').toString('base64url')}.`,
        ),
    ],
    [
      'signed by a key that is not the secret',
      async () => {
        const { privateKey } = await generateKeyPair('RS256')
        return new SignJWT(claims)
          .setProtectedHeader({ alg: 'RS256' })
          .setExpirationTime(soon())
          .sign(privateKey)
      },
    ],
    [
      'with extensions that must be understood',
      () =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', crit: ['x'], x: 1 })
          .sign(new TextEncoder().encode(secret), { crit: { x: true } }),
    ],
    ['longer than 8 KiB', () => signHmac({ ...claims, more: 'x'.repeat(9_000) })],
  ])('a token that is %s is a 401', async (_title, sign) => {
    const { status, error, challenge } = await askViewer(app, await sign())
    expect(status).toBe(401)
    expect(error.extensions.code).toBe('UNAUTHENTICATED')
    expect(challenge).toContain('error="invalid_token"')
  })

  test('a token within five seconds of its end is still taken', async () => {
    expect((await askViewer(app, await signHmac(claims, { exp: soon() - 62 }))).status).toBe(200)
  })
})

describe('with a JWKS', () => {
  let app: TestApp
  const keys: unknown[] = []
  const issuer = createServer((_request, response) => response.end(JSON.stringify({ keys })))

  beforeAll(async () => {
    await new Promise<void>(resolve => issuer.listen(0, '127.0.0.1', resolve))
    const address = issuer.address()
    const port = typeof address === 'object' ? address?.port : 0
    app = await startApp({ ROSTRUM_JWKS_URL: `http://127.0.0.1:${port}/keys` })
  })
  afterAll(async () => {
    await app.close()
    issuer.close()
  })

  test('a token of a key in it is taken, and one signed with that public key as a secret is not', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
    keys.push(jwk)
    const sign = (kid: string) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey)
    expect((await askViewer(app, await sign('k1'))).viewer).toMatchObject({
      accountCode: 'acme',
      userId: '7',
    })
    expect((await askViewer(app, await sign('k2'))).status).toBe(401)
    const confused = await signHmac(claims, { key: JSON.stringify(jwk) })
    expect((await askViewer(app, confused)).status).toBe(401)
    const { privateKey: foreign } = await generateKeyPair('ES256')
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(foreign)
    expect((await askViewer(app, forged)).status).toBe(401)
  })
})

test('a JWKS that cannot be fetched is our fault: 500, blank, and in the log', async () => {
  const app = await startApp({ ROSTRUM_JWKS_URL: 'http://127.0.0.1:9/keys' })
  const { privateKey } = await generateKeyPair('ES256')
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey)
  const { status, error } = await askViewer(app, token)
  expect(status).toBe(500)
  expect(error).toMatchObject({ extensions: { code: 'INTERNAL' } })
  expect(error.message).not.toContain('127.0.0.1')
  expect(app.logLines.join('')).toContain('unexpected error')
  await app.close()
})
