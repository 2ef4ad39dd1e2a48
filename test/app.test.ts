import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from './http/edge/start-app.ts'
import { until } from './server/processes/until.ts'

const execute = (sourceCode: string) => ({
  method: 'POST',
  body: {
    name: 'try',
    sourceCode,
    inputDocument: '{}',
    options: '{}',
    metadata: { case_type_code: 'incident' },
  },
})

interface LogLine {
  readonly msg: string
  readonly operation?: string
  readonly aborted?: boolean
  readonly txnID?: string
  readonly [name: string]: unknown
}

async function waitForLine(app: TestApp, matches: (line: LogLine) => boolean): Promise<LogLine> {
  const found = () => app.logLines.map(text => JSON.parse(text) as LogLine).filter(matches)
  await until(() => found().length > 0)
  const [line = { msg: '' }] = found()
  return line
}

const untilBegun = (app: TestApp) => until(() => app.logLines.some(text => text.includes('"begun"')))

describe('a served application', () => {
  let app: TestApp

  beforeAll(async () => {
    app = await startApp({ ROSTRUM_TASK_CPU_MS: '9000', ROSTRUM_SANDBOXES: '2' })
    await app.app.start()
    await until(async () => (await app.send('/ready')).status === 200)
  })
  afterAll(() => app.close())

  test('logs one line a request with id, account, operation, status and time', async () => {
    const answer = await app.graphql('query Mine { viewer { email } }')
    const requestId = answer.headers.get('x-request-id')
    const line = await waitForLine(app, ({ msg, requestId: id }) => msg === 'request' && id === requestId)
    expect(line).toMatchObject({ account: 'demo', operation: 'query Mine', status: 200 })
    expect(line.durationMs).toEqual(expect.any(Number))
    expect(app.logLines.filter(text => text.includes(String(requestId)))).toHaveLength(1)
  })

  test('logs the row of the REST table, and the transaction of a run', async () => {
    await app.send('/platform/users/123456')
    const read = await waitForLine(app, ({ operation }) => operation === 'GET /platform/users/:id')
    expect(read).toMatchObject({ status: 404, account: 'demo' })

    const ran = await app.send('/api/1/endpoint/execute', execute('exit(requestContext().txnID)'))
    expect(ran.status).toBe(200)
    const line = await waitForLine(app, ({ operation }) => operation === 'POST /api/1/endpoint/execute')
    expect(line.txnID).toBe(ran.body.task_execution.payload)
  })

  test('a script works through the same engine, with the rights of its caller', async () => {
    const source = `
      const added = await graphql('mutation { addTeamMembership(input: { userId: 9, teamId: 9 }) { id user { id } } }')
      exit(added)`
    const admin = await app.send('/api/1/endpoint/execute', execute(source))
    expect(admin.body.task_execution.payload.data.addTeamMembership.user).toEqual({ id: '9' })

    const token = await app.issueToken('demo', ['tasks:execute'])
    const refused = await app.send('/api/1/endpoint/execute', { ...execute(source), token })
    expect(refused.status).toBe(200)
    expect(refused.body.task_execution.payload.errors[0].extensions.code).toBe('FORBIDDEN')
  })

  test('a document past a bound rejects in a script, and an invalid one is an answer with errors', async () => {
    const source = `
      const answer = await graphql('{ nothing }')
      let rejected = null
      try { await graphql('{ ' + Array.from({ length: 60 }, (_, i) => 'a' + i + ': __typename').join(' ') + ' }') }
        catch (error) { rejected = error.message }
      exit({ code: answer.errors[0].extensions.code, rejected })`
    const { body } = await app.send('/api/1/endpoint/execute', execute(source))
    expect(body.task_execution.payload).toEqual({
      code: 'BAD_USER_INPUT',
      rejected: expect.stringMatching(/\S/),
    })
  })

  test.each(['/api/1/endpoint/execute', '/graphql'])('a client that leaves %s ends its run', async path => {
    const { adminToken, url, logLines } = app
    logLines.length = 0
    const input = {
      name: 'spin',
      sourceCode: 'log("begun"); for (;;) {}',
      inputDocument: '{}',
      options: '{}',
    }
    const query = 'mutation Spin($input: ExecuteTaskInput!) { executeTask(input: $input) { outcome } }'
    const body = JSON.stringify(path === '/graphql' ? { query, variables: { input } } : input)
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
    const leaving = new AbortController()
    const asked = fetch(url + path, { method: 'POST', headers, body, signal: leaving.signal })
    await Promise.all([expect(asked).rejects.toThrow(), untilBegun(app).then(() => leaving.abort())])
    await waitForLine(app, ({ msg, aborted }) => msg === 'request' && aborted === true)
    await waitForLine(app, ({ msg }) => msg === 'task ended')
  })
})

test('closing lets what is in flight finish and refuses what comes after', async () => {
  const app = await startApp()
  await app.app.start()
  await until(async () => (await app.send('/ready')).status === 200)
  const slow = app.send(
    '/api/1/endpoint/execute',
    execute('log("begun"); const end = Date.now() + 700; while (Date.now() < end); exit(1)'),
  )
  await untilBegun(app)
  const closed = app.close()
  expect((await slow).status).toBe(200)
  await closed
  await expect(app.send('/health')).rejects.toThrow()
})

test('/ready says what is missing while there is no sandbox; /health still answers 200', async () => {
  const app = await startApp()
  const ready = await app.send('/ready', { token: null })
  expect(ready.status).toBe(503)
  expect(ready.body).toEqual({ status: 'not ready', waiting_for: ['a sandbox'] })
  expect((await app.send('/health', { token: null })).body).toEqual({ status: 'ok' })
  await app.close()
})
