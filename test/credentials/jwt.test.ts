import { CompactSign, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { askViewer, claims, secret, signHmac, soon } from './sign-jwt.ts'

// Claims that jose refuses to sign.
function signText(payload: object | string): Promise<string> {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return new CompactSign(Buffer.from(text))
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret))
}

// All but `admin`, `functions:write` and `runs:read`.
const usualScopes = [
  'cases:read',
  'cases:write',
  'functions:read',
  'memberships:read',
  'memberships:write',
  'tasks:execute',
]

describe('with a secret', () => {
  let app: TestApp
  const viewer = async (token: string) => (await askViewer(app, token)).viewer

  beforeAll(async () => {
    app = await startApp({ ROSTRUM_JWT_SECRET: secret })
  })
  afterAll(() => app.close())

  test.each(['HS256', 'HS384', 'HS512'])(
    'a token signed by %s identifies its caller and has the scopes by default that need no claim',
    async alg => {
      expect(await viewer(await signHmac(claims, { alg }))).toEqual({
        accountCode: 'acme',
        userId: '7',
        email: 'ann@example.com',
        scopes: usualScopes,
      })
    },
  )

  test.each([
    [{ scope: 'memberships:read openid' }, ['memberships:read']],
    [{ scopes: ['tasks:execute', 'nonsense', 5] }, ['tasks:execute']],
    [{ scope: 'memberships:read', scopes: ['tasks:execute'] }, ['memberships:read', 'tasks:execute']],
    [{ scp: ['admin'] }, []],
    [{ scp: 'memberships:read' }, []],
    [{ scope: 'memberships:read', scp: 'memberships:write admin' }, ['memberships:read']],
    [{ roles: ['admin'], permissions: ['admin'] }, usualScopes],
    [{ aud: 'another service', iss: 'https://issuer.example' }, usualScopes],
    [{ scope: '' }, []],
    [{ scope: 7 }, []],
  ])('the claim %j gives the scopes %j', async (claim, expected) => {
    expect((await viewer(await signHmac({ ...claims, ...claim }))).scopes).toEqual(expected)
  })

  test.each(['ann', '0', '-7', '7.5', '007', '9007199254740992', ' 7'])(
    'the subject `%s` is no user id',
    async sub => {
      expect(await viewer(await signHmac({ ...claims, sub }))).toMatchObject({
        accountCode: 'acme',
        userId: null,
      })
    },
  )

  test.each(['ann\0@example.com', 'ann\uD800@example.com', 7])('the claim %j is no email', async email => {
    expect(await viewer(await signHmac({ ...claims, email }))).toMatchObject({ userId: '7', email: null })
  })

  test('the account is created when its first token arrives', async () => {
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

  test.each<[string, () => Promise<string>]>([
    ['none', () => signHmac(claims, { exp: null })],
    ['a text', () => signText({ ...claims, exp: String(soon()) })],
    ['null', () => signText({ ...claims, exp: null })],
    ['past every number', () => signText(JSON.stringify({ ...claims, exp: 0 }).replace(':0}', ':1e400}'))],
  ])('a token whose `exp` is %s is a 401 that says what is missing', async (_title, sign) => {
    const { status, error, challenge } = await askViewer(app, await sign())
    expect(status).toBe(401)
    expect(error.message).toContain('must have the claim `exp`')
    expect(challenge).toContain('error="invalid_token"')
  })

  test.each<[string, () => Promise<string>]>([
    ['not valid yet: its claim `nbf` is in the future', () => signHmac({ ...claims, nbf: soon() })],
    ['claim `nbf` of the token is not valid', () => signText({ ...claims, exp: soon(), nbf: 'soon' })],
    ['must have the claim `sub`', () => signHmac({ account: 'acme' })],
    ['claim `sub` of the token must be a text', () => signText({ ...claims, exp: soon(), sub: 7 })],
    ['claim `sub` of the token must be a text', () => signHmac({ ...claims, sub: '' })],
  ])('a refused token says: %s', async (words, sign) => {
    const { status, error } = await askViewer(app, await sign())
    expect([status, error.message]).toEqual([401, expect.stringContaining(words)])
  })

  test('a token is accepted for five seconds after it expires', async () => {
    expect((await askViewer(app, await signHmac(claims, { exp: soon() - 62 }))).status).toBe(200)
  })
})
