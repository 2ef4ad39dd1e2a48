import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExecutionBody } from '../../server/clients/wire-shapes.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { until } from '../../server/processes/until.ts'

type LogLine = Readonly<Record<string, unknown>>

let server: TestServer

beforeAll(async () => {
  server = await startServer({
    ROSTRUM_JWT_SECRET: 'a-secret-of-the-tests-with-enough-length',
    LOG_LEVEL: 'trace',
  })
})
afterAll(() => server.stop())

// The log lines that mention all of the texts, once they have been written.
async function findLines(...texts: string[]): Promise<LogLine[]> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    const lines = server
      .stdout()
      .split('\n')
      .filter(line => line.startsWith('{') && texts.every(text => line.includes(text)))
    if (lines.length > 0) return lines.map(line => JSON.parse(line) as LogLine)
    await sleep(50)
  }
  return []
}

test('a request leaves one line with its id, account, operation, status and duration', async () => {
  const answer = await server.rest('GET', '/platform/team_memberships/99999999')
  const id = answer.headers.get('x-request-id') ?? ''
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  const lines = await findLines(id)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ account: 'demo', status: 404 })
  const values = Object.values(lines[0] ?? {})
  expect(values.some(value => typeof value === 'string' && /membership/i.test(value))).toBe(true)
  expect(
    Object.entries(lines[0] ?? {}).some(([key, value]) => /duration/.test(key) && typeof value === 'number'),
  ).toBe(true)
})

test('a GraphQL request is named by its operation', async () => {
  const answer = await server.graphql('query FindMe { viewer { accountCode } }')
  const lines = await findLines(answer.headers.get('x-request-id') ?? '-')
  expect(lines).toHaveLength(1)
  expect(JSON.stringify(lines)).toContain('FindMe')
})

test('the line of a run has its transaction, and so has what the script logs', async () => {
  const answer = await server.execute({
    name: 'recalculate',
    sourceCode: "log('canary-of-the-log', { n: 6 }); exit(1)",
  })
  const { txnID } = answer.body.task_execution.request_context
  const [request] = await findLines(answer.headers.get('x-request-id') ?? '-', '"status":200')
  expect(JSON.stringify(request)).toContain(txnID)
  const lines = await findLines('canary-of-the-log')
  expect(lines).toHaveLength(1)
  const text = JSON.stringify(lines[0])
  expect(text).toContain('recalculate')
  expect(text).toContain(answer.body.task_execution.id)
  expect(text).toContain(txnID)
})

test('what a script logs forges no line', async () => {
  await server.execute(
    'log("canary-forged\\n{\\"level\\":60,\\"msg\\":\\"forged\\"}\\u001b[31m\\r\\n"); exit(1)',
  )
  const lines = await findLines('canary-forged')
  expect(lines).toHaveLength(1)
  expect(
    server
      .stdout()
      .split('\n')
      .some(line => line.startsWith('{"level":60')),
  ).toBe(false)
})

test('an id that the caller chose is not taken over', async () => {
  const forged = 'forged-request-id'
  const answer = await server.rest('GET', '/health', { headers: { 'x-request-id': forged } })
  expect(answer.headers.get('x-request-id')).not.toBe(forged)
})

test('no line has a credential, a body or a script in it', async () => {
  const token = await server.token({ account: 'beta', user: 1 })
  await server.rest('GET', '/platform/team_memberships?ids[]=1&access_token=canary-query', { token })
  await server.graphql('{ viewer { email } }', {}, 'canary.unknown.token')
  await server.rest('PUT', '/platform/users/5', { body: { user: { email: 'canary-body@example.com' } } })
  const run = await server.execute<string>({
    sourceCode: '/* canary-source */ exit(options.authorization)',
    inputDocument: { canary: 'canary-document' },
  })
  await server.rest('POST', '/platform/team_memberships', { body: '{"canary-broken":' })
  // Lines are written in order: once this one is there, so are those before it.
  const last = await server.rest('GET', '/platform/team_memberships/99999998')
  await findLines(last.headers.get('x-request-id') ?? '')
  const secrets = [
    token,
    server.adminToken,
    run.body.task_execution.payload.replace('Bearer ', ''),
    'canary.unknown.token',
    'canary-query',
    'canary-body',
    'canary-source',
    'canary-document',
    'canary-broken',
    'a-secret-of-the-tests',
  ]
  const written = server.stdout() + server.stderr()
  expect(secrets.filter(secret => written.includes(secret))).toEqual([])
})

test('the log of a function names it, its version and the trigger', async () => {
  const sourceCode = 'log("to the system"); exit(1)'
  const document = 'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }'
  await server.graphql(document, { input: { name: 'logs', sourceCode } })
  const { body } = await server.rest<ExecutionBody>('POST', '/api/1/function/logs/execute', {
    body: { inputDocument: {} },
  })
  const { txnID } = body.task_execution.request_context
  const lines = await findLines('to the system')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({
    trigger: 'function',
    function: 'logs',
    version: createHash('sha256').update(sourceCode).digest('hex'),
    txnID,
    account: 'demo',
  })
})

test("a run's token is in no log line, not even through a nested run", async () => {
  const before = server.stdout().length
  await server.execute(`log(options.authorization)
    await Platform.tasks.execute({ name: 'inner', sourceCode: 'log(payload); exit()',
      inputDocument: JSON.stringify(options.authorization), options: {} })
    exit()`)
  // Once in the line of each run.
  await until(() => server.stdout().slice(before).split('[run token]').length > 2)
  expect(server.stdout()).not.toContain('rrun_')
})

test('the log line of a request whose client went away has the transaction of its run', async () => {
  const txnID = 'b3f3c1de-0000-4000-8000-00000000abcd'
  const gone = new AbortController()
  const asked = server
    .execute(
      {
        sourceCode: 'log("begun"); await graphql("{ viewer { email } }"); for (;;);',
        options: { requestContext: { txnID } },
      },
      { signal: gone.signal },
    )
    .catch(() => null)
  await until(() => server.stdout().includes('"begun"'))
  gone.abort()
  await asked
  expect(await findLines(txnID, '"aborted":true', '"msg":"request"')).toHaveLength(1)
})

test('past 1 MiB in a minute what scripts log is in their answers alone', async () => {
  const token = await server.token({ account: 'flooder', user: 1 })
  const before = server.stdout().length
  for (let n = 0; n < 8; n++) {
    const sourceCode = 'for (let n = 0; n < 1000; n++) log("flood", "x".repeat(200)); exit(1)'
    const { body } = await server.execute({ sourceCode }, { token })
    expect(body.task_execution.logs).toHaveLength(1_000)
  }
  const last = await server.rest('GET', '/platform/team_memberships/99999997', { token })
  await findLines(last.headers.get('x-request-id') ?? '')
  const lines = server.stdout().slice(before).split('\n')
  const bytes = lines.filter(line => line.includes('"flood"')).join('\n').length
  // Of about 4 MiB, in two minutes at most.
  expect(bytes).toBeGreaterThan(2 ** 19)
  expect(bytes).toBeLessThan(2 ** 21)
})
