import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createRateLimiter } from '../../src/http/request/rate-limit.ts'
import { secret, signHmac } from '../credentials/sign-jwt.ts'
import { startServer, type TestServer } from '../server/gateways/start-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ ROSTRUM_RATE_LIMIT: '3/600', ROSTRUM_JWT_SECRET: secret })
})
afterAll(async () => void (await server.stop()))

const fieldsOf = (headers: Headers) => [headers.get('ratelimit-policy'), headers.get('ratelimit')]

test('a credential past its requests, over REST and GraphQL together, is refused and nothing is done', async () => {
  const token = await server.token({ account: 'demo', scopes: ['admin'] })
  const user = (email: string) =>
    server.rest('PUT', '/platform/users/7', { token, body: { user: { email } } })
  const answers = [
    await server.graphql('{ viewer { accountCode } }', {}, token),
    await server.rest('GET', '/platform/users/9', { token }),
    await user('first@example.com'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 200])
  for (const [index, { headers }] of answers.entries())
    expect(fieldsOf(headers)).toEqual([
      '"token";q=3;w=600',
      expect.stringMatching(`^"token";r=${2 - index};t=(600|59\\d)$`),
    ])
  const refused = await user('second@example.com')
  expect(refused).toMatchObject({ status: 429, body: { code: 'OVERLOADED' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500)
  expect(fieldsOf(refused.headers)[1]).toMatch(/^"token";r=0;t=/)
  const overGraphql = await server.graphql('{ viewer { accountCode } }', {}, token)
  expect(overGraphql.status).toBe(429)
  const other = await server.token({ account: 'demo', scopes: ['admin'] })
  expect(await server.rest('GET', '/platform/users/7', { token: other })).toMatchObject({
    body: { user: { email: 'first@example.com' } },
  })
})

test('what has no good credential, and the calls of a script, do not count', async () => {
  const token = await server.token({ account: 'demo', scopes: ['admin', 'metrics:read'] })
  for (const path of ['/health', '/ready', '/openapi.json', '/login', '/docs/rest.md'])
    expect(fieldsOf((await fetch(server.baseUrl + path)).headers)).toEqual([null, null])
  const unknown = await server.rest('GET', '/platform/users/7', { token: 'rst_unknown' })
  expect([unknown.status, ...fieldsOf(unknown.headers)]).toEqual([401, null, null])
  expect(fieldsOf((await server.rest('GET', '/metrics', { token })).headers)).toEqual([null, null])
  const calls = "for (let i = 0; i < 9; i++) await graphql('{ viewer { accountCode } }'); exit(1)"
  const ran = await server.execute(calls, { token })
  expect([ran.status, fieldsOf(ran.headers)[1]]).toEqual([200, expect.stringMatching(/r=2;/)])
})

test('a new JWT of the same subject and account goes on in the same window', async () => {
  const left = async (claims: { readonly sub: string; readonly account: string }) => {
    const token = await signHmac({ ...claims, jti: crypto.randomUUID() })
    const { headers } = await server.rest('GET', '/platform/users/7', { token })
    return fieldsOf(headers)[1]?.match(/r=(\d+)/)?.[1]
  }
  const ann = { sub: 'ann', account: 'acme' }
  expect([await left(ann), await left(ann), await left(ann)]).toEqual(['2', '1', '0'])
  expect([await left({ ...ann, sub: 'bob' }), await left({ ...ann, account: 'beta' })]).toEqual(['2', '2'])
  const more = await server.rest('GET', '/platform/users/7', { token: await signHmac(ann) })
  expect(more.status).toBe(429)
})

test('an unknown path and a wrong method count for a good credential, and for no other', async () => {
  const token = await server.token({ account: 'demo', scopes: ['admin'] })
  const missing = await server.rest('GET', '/no/such/path', { token })
  expect([missing.status, fieldsOf(missing.headers)[1]]).toEqual([404, expect.stringMatching(/r=2;/)])
  const wrong = await server.rest('DELETE', '/graphql', { token })
  expect([wrong.status, fieldsOf(wrong.headers)[1]]).toEqual([405, expect.stringMatching(/r=1;/)])
  const broken = await server.rest('GET', '/platform/teams/%zz', { token })
  expect([broken.status, fieldsOf(broken.headers)[1]]).toEqual([400, expect.stringMatching(/r=0;/)])
  expect((await server.rest('GET', '/platform/teams/%zz', { token })).status).toBe(429)
  const refused = await server.rest('GET', '/no/such/path', { token })
  expect(refused).toMatchObject({ status: 429, body: { code: 'OVERLOADED' } })
  for (const other of [null, 'rst_unknown']) {
    const { status, headers } = await server.rest('GET', '/no/such/path', { token: other })
    expect([status, ...fieldsOf(headers)]).toEqual([404, null, null])
  }
})

test('the path of the metrics does not count either if they have a port of their own', async () => {
  const own = await startServer({ ROSTRUM_RATE_LIMIT: '3/600', ROSTRUM_METRICS_PORT: '0' })
  onTestFinished(async () => void (await own.stop()))
  const token = await own.token({ account: 'demo', scopes: ['metrics:read'] })
  const { status, headers } = await own.rest('GET', '/metrics?a=1', { token })
  expect([status, ...fieldsOf(headers)]).toEqual([404, null, null])
})

// In milliseconds the window is just below a power of two, so that its end is often rounded up.
test('no window ends later than its seconds say', () => {
  const seconds = 16_777
  const count = createRateLimiter({ requests: 3, seconds })
  const fields = Array.from({ length: 2_000 }, (_, index) => {
    const caller = { accountCode: 'demo', subject: String(index) }
    const headers = new Map<string, string>()
    const reply = {
      header(name: string, value: string) {
        headers.set(name, value)
        return reply
      },
    }
    count({ state: { identity: { caller, run: null } } } as never, reply as never)
    return headers.get('ratelimit')
  })
  expect(new Set(fields)).toEqual(new Set([`"token";r=2;t=${seconds}`]))
})
