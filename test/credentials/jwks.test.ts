import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAuthenticator } from '../../src/credentials/authenticator.ts'
import type { Store } from '../../src/domain/store.ts'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { askViewer, claims, signHmac, soon } from './sign-jwt.ts'

describe('with a JWKS', () => {
  let app: TestApp
  const keys: unknown[] = []
  let fetches = 0
  let isDown = false
  let keysUrl: string
  const issuer = createServer((_request, response) => {
    fetches += 1
    response.writeHead(isDown ? 503 : 200).end(JSON.stringify({ keys }))
  })

  beforeAll(async () => {
    await new Promise<void>(resolve => issuer.listen(0, '127.0.0.1', resolve))
    const address = issuer.address()
    const port = typeof address === 'object' ? address?.port : 0
    keysUrl = `http://127.0.0.1:${port}/keys`
    app = await startApp({ ROSTRUM_JWKS_URL: keysUrl })
  })
  afterAll(async () => {
    await app.close()
    issuer.close()
  })
  afterEach(() => vi.useRealTimers())

  /** A key pair, and a function that signs a token by it. */
  async function makeKey(kid?: string, alg = 'RS256') {
    const { privateKey, publicKey } = await generateKeyPair(alg)
    const jwk = { ...(await exportJWK(publicKey)), ...(kid === undefined ? {} : { kid }), use: 'sig' }
    const header = { alg, ...(kid === undefined ? {} : { kid }) }
    const sign = (seconds = 0) =>
      new SignJWT(claims)
        .setProtectedHeader(header)
        .setExpirationTime(soon() + seconds)
        .sign(privateKey)
    return { jwk, sign, ask: async () => (await askViewer(app, await sign())).status }
  }

  // Both clocks stand still in between: if only one did, the gateway would see a wall clock that is set back. Vitest's
  // `performance` begins at 0, which is long before the last fetch in a worker that ran other files.
  function stopClocks(): void {
    if (vi.isFakeTimers()) return
    const [now, passed] = [Date.now(), performance.now()]
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    vi.advanceTimersByTime(passed)
    vi.setSystemTime(now)
  }

  function pass(seconds: number): void {
    stopClocks()
    vi.advanceTimersByTime(seconds * 1_000)
  }

  function setWallClock(seconds: number): void {
    stopClocks()
    vi.setSystemTime(Date.now() + seconds * 1_000)
  }

  test('a token of a listed key works, and one signed with its public key as a secret does not', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
    keys.push(jwk)
    const sign = (kid: string) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).setExpirationTime(soon()).sign(privateKey)
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

  test('in a rotation of keys without `kid`, tokens of each listed key work', async () => {
    pass(60)
    const [old, next, stranger] = [await makeKey(), await makeKey(), await makeKey()]
    keys.splice(0, keys.length, old.jwk)
    expect([await old.ask(), await next.ask()]).toEqual([200, 401])
    keys.push(next.jwk)
    pass(6)
    expect([await next.ask(), await old.ask(), await stranger.ask()]).toEqual([200, 200, 401])
  })

  test('a new key works 5 s after the last fetch, and made-up ones fetch no more often', async () => {
    pass(120)
    const [old, next] = [await makeKey('old'), await makeKey('next')]
    keys.splice(0, keys.length, old.jwk)
    expect(await old.ask()).toBe(200)
    keys.push(next.jwk)
    fetches = 0
    for (let asked = 0; asked < 5; asked += 1) {
      expect([await (await makeKey('made-up')).ask(), await next.ask()]).toEqual([401, 401])
    }
    expect(fetches).toBe(0)
    pass(6)
    expect([await next.ask(), await (await makeKey('made-up')).ask()]).toEqual([200, 401])
    expect(fetches).toBe(1)
  })

  test.each([
    { kid: undefined, alg: 'RS256', passed: 140 },
    { kid: 'made-up', alg: 'RS256', passed: 160 },
    { kid: undefined, alg: 'ES256', passed: 180 },
  ])(
    'while the keys cannot be fetched, a stranger’s token is 401 and fetches once: $kid, $alg',
    async each => {
      pass(each.passed)
      const [known, stranger] = [await makeKey(), await makeKey(each.kid, each.alg)]
      keys.splice(0, keys.length, known.jwk)
      expect(await known.ask()).toBe(200)
      pass(6)
      fetches = 0
      isDown = true
      onTestFinished(() => {
        isDown = false
      })
      for (let asked = 0; asked < 4; asked += 1) expect(await stranger.ask()).toBe(401)
      expect([fetches, await known.ask()]).toEqual([1, 200])
    },
  )

  test('after the clock was set back an hour, a new key works and a withdrawn one does not', async () => {
    pass(3_600)
    const [old, next] = [await makeKey('earlier'), await makeKey('later')]
    keys.splice(0, keys.length, old.jwk)
    pass(10)
    expect(await old.ask()).toBe(200)
    keys.splice(0, keys.length, next.jwk)
    setWallClock(-3_600)
    expect([await next.ask(), await old.ask()]).toEqual([200, 401])
  })

  test('a withdrawn key works for 10 minutes at most', async () => {
    pass(3_700)
    const [old, next] = [await makeKey('withdrawn'), await makeKey('kept')]
    keys.splice(0, keys.length, old.jwk, next.jwk)
    expect(await old.ask()).toBe(200)
    keys.shift()
    pass(590)
    expect(await old.ask()).toBe(200)
    pass(11)
    expect(await old.ask()).toBe(401)
  })

  test('what a token of a withdrawn key began ends when the token does', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    const old = await makeKey('begun')
    keys.splice(0, keys.length, old.jwk)
    const { authenticate, confirm } = createAuthenticator({
      store: { accounts: { ensure: async () => undefined } } as unknown as Store,
      tokenUses: { note: () => undefined, close: async () => undefined },
      findRun: () => null,
      ...{ jwtSecret: null, jwksUrl: keysUrl },
    })
    const { caller } = await authenticate(`Bearer ${await old.sign(3_600)}`, null)
    keys.shift()
    vi.advanceTimersByTime(590_000)
    expect(await confirm(caller)).toBe(caller)
    vi.advanceTimersByTime(11_000)
    await expect(confirm(caller)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })
})

test('a JWKS that cannot be fetched is a 500 without detail, with the cause in the log', async () => {
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
