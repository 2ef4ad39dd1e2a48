import { exportJWK, exportPKCS8, exportSPKI, generateKeyPair, importPKCS8, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'

const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const
type Pair = Awaited<ReturnType<typeof generateKeyPair>>

let keyServer: Upstream
let server: TestServer
const pairs = new Map<string, Pair>()

beforeAll(async () => {
  for (const alg of algorithms) pairs.set(alg, await generateKeyPair(alg, { extractable: true }))
  const keys = await Promise.all(
    [...pairs].map(async ([alg, pair]) => ({ ...(await exportJWK(pair.publicKey)), kid: `key-${alg}`, alg })),
  )
  keyServer = await startUpstream((_, response) => sendJson(response, { keys }))
  server = await startServer({ ROSTRUM_JWKS_URL: `${keyServer.url}/keys` })
})
afterAll(async () => {
  await server.stop()
  await keyServer.close()
})

function pairOf(alg: string): Pair {
  const pair = pairs.get(alg)
  if (pair === undefined) throw new Error(`no key for ${alg}`)
  return pair
}

type Key = Parameters<SignJWT['sign']>[0]

function sign(key: Key, alg: string, kid: string): Promise<string> {
  const claims = { sub: '7', email: 'ann@example.com', name: 'Ann', account: 'beta' }
  return new SignJWT(claims).setProtectedHeader({ alg, kid }).setExpirationTime('5m').sign(key)
}

const view = (token: string) => server.graphql('{ viewer { accountCode userId } }', {}, token)

test.each(algorithms)('a JWT signed with %s by a key of the set is its claims', async alg => {
  const answer = await view(await sign(pairOf(alg).privateKey, alg, `key-${alg}`))
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ viewer: { accountCode: 'beta', userId: '7' } })
})

test('a JWT signed by a key outside the set is a 401, whatever key id it claims', async () => {
  const stranger = await generateKeyPair('RS256')
  expect((await view(await sign(stranger.privateKey, 'RS256', 'key-RS256'))).status).toBe(401)
  expect((await view(await sign(stranger.privateKey, 'RS256', 'unknown'))).status).toBe(401)
})

test('a public key of the set is no secret to sign with', async () => {
  const text = await exportSPKI(pairOf('RS256').publicKey)
  for (const secret of [text, text.trimEnd()]) {
    const forged = await sign(new TextEncoder().encode(secret), 'HS256', 'key-RS256')
    expect((await view(forged)).status).toBe(401)
  }
})

test('a key of the set signs with its own algorithm only', async () => {
  const pem = await exportPKCS8(pairOf('RS256').privateKey)
  const other = await importPKCS8(pem, 'RS512')
  expect((await view(await sign(other, 'RS512', 'key-RS256'))).status).toBe(401)
})
