import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliver, saveWebhook, signGithub, signStandard } from '../../server/clients/webhooks.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ ROSTRUM_TRUSTED_PROXIES: '127.0.0.0/8' })
})
afterAll(async () => void (await server.stop()))

type Line = Readonly<Record<string, unknown>>

// Without the last one, which may not be written to its end.
const lines = () =>
  server
    .stdout()
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Line)

async function findLine(isIt: (line: Line) => boolean): Promise<Line> {
  await expect.poll(() => lines().some(isIt)).toBe(true)
  return lines().findLast(isIt) ?? {}
}

test('the line of a request names token, user, operation, and the client that a trusted proxy names', async () => {
  const forwarded = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' }
  await server.rest('POST', '/graphql', {
    headers: forwarded,
    body: { query: 'query WhoAmI { viewer { userId } }' },
  })
  const line = await findLine(({ operation }) => String(operation).includes('WhoAmI'))
  expect(line).toMatchObject({ token: expect.any(Number), user: expect.any(Number), address: '203.0.113.9' })
  await server.rest('GET', '/health', { token: null })
  const open = await findLine(({ operation }) => operation === 'GET /health')
  expect(open).toMatchObject({
    account: null,
    token: null,
    user: null,
    address: expect.stringContaining('127.0.0.1'),
  })
})

test('a run that failed is a warning with code, message and line, cut after 300 characters', async () => {
  await server.execute({ name: 'thrown', sourceCode: `\nthrow new Error('${'x'.repeat(400)}')` })
  const thrown = await findLine(({ msg, task }) => msg === 'task ended' && task === 'thrown')
  expect(thrown).toMatchObject({ level: 40, outcome: 'error', error: 'RUNTIME', line: 2 })
  expect(String(thrown.message)).toMatch(/^Error: x{293}$/)
  await server.execute({ name: 'failed', sourceCode: "fail('no')" })
  const failed = await findLine(({ msg, task }) => msg === 'task ended' && task === 'failed')
  expect(failed).toMatchObject({ level: 40, outcome: 'fail', message: 'no' })
  await server.execute({ name: 'good', sourceCode: 'exit(1)' })
  const good = await findLine(({ msg, task }) => msg === 'task ended' && task === 'good')
  expect(good).toMatchObject({ level: 30, outcome: 'exit' })
})

test('a refused delivery is one line of the log, with the reason, at most ten a minute', async () => {
  const sourceCode = 'exit(1)'
  const logged = await saveWebhook(server, { name: 'logged', sourceCode })
  const other = await saveWebhook(server, { name: 'other', sourceCode })
  const hub = await saveWebhook(server, { name: 'logged-hub', sourceCode, verification: 'GITHUB' })
  const send = (path: string, headers: Record<string, string>) => deliver(server, path, { headers })
  const own = { secret: logged.secret }
  await send(logged.path, {})
  await send(logged.path, signStandard({ secret: other.secret }))
  await send(logged.path, signStandard({ ...own, timestamp: 1_000 }))
  await send(logged.path, signStandard({ ...own, timestamp: Date.now() }))
  await send(logged.path, signStandard({ ...own, id: '' }))
  await send(hub.path, { 'x-hub-signature-256': signGithub({ secret: hub.secret })['x-hub-signature-256'] })
  await send('/api/1/webhook/demo/unlogged', {})
  await send('/api/1/webhook/nobody/logged', {})
  const disabling = `mutation { saveWebhook(input: { id: "${logged.id}", enabled: false }) { secret } }`
  await server.graphql(disabling)
  for (let count = 0; count < 20; count++) await send(logged.path, signStandard(own))
  const linesOf = (name: string) =>
    lines().filter(({ msg, webhook }) => msg === 'delivery refused' && webhook === name)
  const reasonsOf = (name: string) => linesOf(name).map(({ reason }) => reason)
  await expect.poll(() => reasonsOf('logged').length).toBeGreaterThanOrEqual(10)
  const reasons = reasonsOf('logged')
  const refusals = ['no signature', 'bad signature', 'old timestamp', 'future timestamp', 'no message id']
  expect(reasons.slice(0, 5)).toEqual(refusals)
  expect(new Set(reasons.slice(5))).toEqual(new Set(['disabled']))
  // A minute may end meanwhile.
  expect(reasons.length).toBeLessThan(21)
  expect(linesOf('logged')[0]).toMatchObject({ level: 40, account: 'demo', webhookId: Number(logged.id) })
  expect(reasonsOf('logged-hub')).toEqual(['no message id'])
  expect(reasonsOf('unlogged')).toEqual([])
  expect(server.stdout()).not.toContain(logged.secret)
})

describe('a gateway with LOG_FORMAT=pretty and no trusted proxy', () => {
  let pretty: TestServer
  beforeAll(async () => {
    pretty = await startServer({ LOG_FORMAT: 'pretty' })
  })
  afterAll(async () => void (await pretty.stop()))

  test('writes lines for eyes and the text of the start, and no colour into a pipe', async () => {
    await expect.poll(pretty.stdout).toContain('GET /ready')
    expect(pretty.stdout()).toContain('Rostrum serves on')
    expect(pretty.stdout()).toMatch(/^\[?\d\d:\d\d:\d\d\.\d{3}\]? INFO: request$/m)
    expect(pretty.stdout()).not.toContain('\u001b')
  })

  test('shows control characters of a script as escapes', async () => {
    await pretty.execute(String.raw`log('before\u001b[2J\u009b2J\u202eafter'); exit(1)`)
    await expect.poll(pretty.stdout).toContain(String.raw`before\u001b[2J\u009b2J\u202eafter`)
    expect(pretty.stdout().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  test('logs no address that a sender names', async () => {
    await pretty.rest('GET', '/health', { token: null, headers: { 'x-forwarded-for': '203.0.113.9' } })
    await expect.poll(pretty.stdout).toContain('GET /health')
    expect(pretty.stdout()).not.toContain('203.0.113.9')
  })
})
