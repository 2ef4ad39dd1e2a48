import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ ROSTRUM_TRUSTED_PROXIES: '127.0.0.0/8' })
})
afterAll(async () => void (await server.stop()))

type Line = Readonly<Record<string, unknown>>

const lines = () =>
  server
    .stdout()
    .split('\n')
    .filter(Boolean)
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

test('a sender that is no trusted proxy names nobody else', async () => {
  const other = await startServer()
  try {
    await other.rest('GET', '/health', { token: null, headers: { 'x-forwarded-for': '203.0.113.9' } })
    await expect.poll(other.stdout).toContain('GET /health')
    expect(other.stdout()).not.toContain('203.0.113.9')
  } finally {
    await other.stop()
  }
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

test('LOG_FORMAT=pretty writes lines for eyes and the text of the start, and no colour into a pipe', async () => {
  const pretty = await startServer({ LOG_FORMAT: 'pretty' })
  try {
    await expect.poll(pretty.stdout).toContain('GET /ready')
    expect(pretty.stdout()).toContain('Rostrum serves on')
    expect(pretty.stdout()).toMatch(/^\[?\d\d:\d\d:\d\d\.\d{3}\]? INFO: request$/m)
    expect(pretty.stdout()).not.toContain('\u001b')
  } finally {
    await pretty.stop()
  }
})

test('LOG_FORMAT=pretty shows control characters of a script as escapes', async () => {
  const pretty = await startServer({ LOG_FORMAT: 'pretty' })
  try {
    await pretty.execute(String.raw`log('before\u001b[2J\u009b2J\u202eafter'); exit(1)`)
    await expect.poll(pretty.stdout).toContain(String.raw`before\u001b[2J\u009b2J\u202eafter`)
    expect(pretty.stdout().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  } finally {
    await pretty.stop()
  }
})
