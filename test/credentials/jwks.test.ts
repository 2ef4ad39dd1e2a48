import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { askViewer, claims, signHmac, soon } from './sign-jwt.ts'

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
