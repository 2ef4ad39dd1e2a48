import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveHook } from '../http/rest/save-hook.ts'
import { deliver, saveWebhook, signStandard } from '../server/clients/webhooks.ts'
import { until } from '../server/processes/until.ts'
import { createDatabase } from '../store/databases/create-database.ts'
import {
  client,
  internal,
  rootSpanId,
  server,
  spanOf,
  startTracedGateway,
  type TracedGateway,
} from './traced-gateway.ts'

describe.each(['sqlite', 'postgresql'])('on %s', system => {
  let gateway: TracedGateway

  beforeAll(async () => {
    gateway = await startTracedGateway(
      system === 'sqlite'
        ? {}
        : { DATABASE_URL: await createDatabase(), ROSTRUM_SECRETS_KEY: '0f'.repeat(32) },
    )
  })
  afterAll(() => gateway.close())

  const execute = async (sourceCode: string) => {
    const trace = gateway.newTrace()
    const { body } = await gateway.execute(sourceCode, { headers: trace.headers })
    return { run: body.task_execution, spans: await trace.received() }
  }

  test('a run has the spans of its request, operation, wait and script', async () => {
    const { run, spans } = await execute(`console.log('a'); console.warn({ b: 1 }); exit(1)`)
    const request = spanOf(spans, 'POST /api/1/endpoint/execute')
    expect(request).toMatchObject({ kind: server, parentSpanId: rootSpanId, isError: false })
    expect(request.resource).toMatchObject({ 'service.name': 'rostrum' })
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/1/endpoint/execute',
      'url.path': '/api/1/endpoint/execute',
      'url.scheme': 'http',
      'http.response.status_code': 200,
    })
    const operation = spanOf(spans, 'mutation')
    expect(operation).toMatchObject({ kind: internal, parentSpanId: request.spanId })
    const attributes = {
      'rostrum.run_id': run.id,
      'rostrum.txn_id': run.request_context.txnID,
      'rostrum.trigger': 'endpoint',
    }
    const parentSpanId = operation.spanId
    expect(spanOf(spans, 'rostrum.wait')).toMatchObject({ kind: internal, parentSpanId, attributes })
    const ofRun = spanOf(spans, 'rostrum.run')
    expect(ofRun).toMatchObject({ kind: internal, parentSpanId })
    expect(ofRun.attributes).toEqual({ ...attributes, 'rostrum.outcome': 'exit' })
    expect(ofRun.events).toEqual([
      { name: 'log', attributes: { level: 'info' } },
      { name: 'log', attributes: { level: 'warn' } },
    ])
  })

  test('a run that ends in an error says its code', async () => {
    const { spans } = await execute('throw new Error()')
    expect(spanOf(spans, 'rostrum.run').attributes).toMatchObject({
      'rostrum.outcome': 'error',
      'rostrum.error_code': 'RUNTIME',
    })
  })

  test('each log entry of a run is an event, even a thousand', async () => {
    const { spans } = await execute('for (let i = 0; i < 1000; i++) console.debug(i); exit(1)')
    const { events } = spanOf(spans, 'rostrum.run')
    expect(events).toHaveLength(1_000)
    expect(events.at(-1)).toEqual({ name: 'log', attributes: { level: 'debug' } })
  })

  test('the operation of a script is a child of its run, and asks the store', async () => {
    const { run, spans } = await execute(
      `exit(await graphql('mutation Join { addTeamMembership(input: { userId: 7, teamId: 3 }) { id } }'))`,
    )
    expect(run.payload).toMatchObject({ data: { addTeamMembership: { id: expect.anything() } } })
    const [ofScript] = spans.filter(span => span.parentSpanId === spanOf(spans, 'rostrum.run').spanId)
    expect(ofScript).toMatchObject({
      name: 'mutation',
      kind: internal,
      attributes: { 'graphql.operation.type': 'mutation', 'graphql.operation.name': 'Join' },
    })
    expect(spanOf(spans, 'INSERT')).toMatchObject({
      kind: client,
      parentSpanId: ofScript?.spanId,
      attributes: { 'db.system.name': system, 'db.operation.name': 'INSERT' },
    })
  })

  test('a run inside a run is a child of the operation that starts it', async () => {
    const { run, spans } = await execute(
      `const input = { sourceCode: 'exit(2)', name: 'inner', inputDocument: '{}', options: '{}' }
       exit(await graphql('mutation($input: ExecuteTaskInput!) { executeTask(input: $input) { id } }', { input }))`,
    )
    const inner = (run.payload as { data: { executeTask: { id: string } } }).data.executeTask.id
    const [outerRun] = spans.filter(
      span => span.attributes['rostrum.run_id'] === run.id && span.name === 'rostrum.run',
    )
    const ofInner = spans.filter(span => span.attributes['rostrum.run_id'] === inner)
    const [operation] = spans.filter(({ parentSpanId }) => parentSpanId === outerRun?.spanId)
    expect(operation?.name).toBe('mutation')
    expect(ofInner.map(({ name }) => name)).toEqual(['rostrum.wait', 'rostrum.run'])
    expect(ofInner.map(({ parentSpanId }) => parentSpanId)).toEqual([operation?.spanId, operation?.spanId])
  })

  test('a read asks the store for its operation', async () => {
    const trace = gateway.newTrace()
    await gateway.rest('GET', '/platform/team_memberships?ids[]=987654', { headers: trace.headers })
    const spans = await trace.received()
    const query = spanOf(spans, 'query')
    expect(query.parentSpanId).toBe(spanOf(spans, 'GET /platform/team_memberships').spanId)
    expect(query.attributes['graphql.operation.type']).toBe('query')
    const [asked] = spans.filter(({ parentSpanId }) => parentSpanId === query.spanId)
    expect(asked).toMatchObject({
      name: 'SELECT',
      kind: client,
      attributes: { 'db.system.name': system, 'db.operation.name': 'SELECT' },
    })
  })

  test('the look-up of a token and the claim of a key are children of the request', async () => {
    const trace = gateway.newTrace()
    const token = await gateway.token({ account: 'demo' })
    const headers = { ...trace.headers, 'idempotency-key': 'traced' }
    const body = { team_membership: { user_id: 8, team_id: 3 } }
    const added = await gateway.rest('POST', '/platform/team_memberships', { token, headers, body })
    expect(added.status).toBe(201)
    const spans = await trace.received()
    const request = spanOf(spans, 'POST /platform/team_memberships')
    const ofRequest = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId)
    expect(ofRequest.map(({ name }) => name).sort()).toEqual(['SELECT', 'db', 'db', 'mutation'])
    expect(spanOf(spans, 'INSERT').parentSpanId).toBe(spanOf(spans, 'mutation').spanId)
  })

  test('the run of a hook is a child of the save, and a queued one begins a trace', async () => {
    const caseTypeCode = 'traced'
    await saveHook(gateway, 'exit(payload)', { caseTypeCode, event: 'pre-save' })
    await saveHook(gateway, `console.log('x'); exit(1)`, { caseTypeCode, event: 'post-save' })
    const trace = gateway.newTrace()
    const body = { case: { case_type_code: caseTypeCode, data: {} } }
    const saved = await gateway.rest('POST', '/platform/cases', { headers: trace.headers, body })
    expect(saved.status).toBe(201)
    const spans = await trace.received()
    const save = spanOf(spans, 'mutation')
    expect(spanOf(spans, 'rostrum.run')).toMatchObject({
      parentSpanId: save.spanId,
      attributes: { 'rostrum.trigger': 'hook' },
    })
    expect(spanOf(spans, 'db')).toMatchObject({ kind: client, parentSpanId: save.spanId })
    const queued = () =>
      gateway.collector
        .spans()
        .filter(({ name, parentSpanId }) => name === 'rostrum.run' && parentSpanId === null)
    await until(() => queued().length === 1)
    expect(queued()[0]).toMatchObject({
      attributes: { 'rostrum.trigger': 'hook', 'rostrum.outcome': 'exit' },
      events: [{ name: 'log', attributes: { level: 'info' } }],
    })
    expect(queued()[0]?.traceId).not.toBe(trace.traceId)
    const lines = () => gateway.stdout().split('\n')
    const ended = () => lines().find(line => line.includes('task ended') && line.includes('post-save'))
    await until(() => ended() !== undefined)
    expect(ended()).toContain(`"traceId":"${queued()[0]?.traceId}"`)
  })

  test('a delivery runs as a child of its request, whose path names no account', async () => {
    const { path, secret } = await saveWebhook(gateway, { name: 'traced', sourceCode: 'exit(1)' })
    const trace = gateway.newTrace()
    const body = '{}'
    const headers = { ...signStandard({ secret, body }), ...trace.headers }
    expect((await deliver(gateway, path, { body, headers })).status).toBe(200)
    const spans = await trace.received()
    const request = spanOf(spans, 'POST /api/1/webhook/{account_nickname}/{name}')
    expect(request.attributes).toMatchObject({
      'url.path': '/api/1/webhook/{account_nickname}/traced',
      'http.response.status_code': 200,
    })
    expect(spanOf(spans, 'rostrum.run')).toMatchObject({
      parentSpanId: request.spanId,
      attributes: { 'rostrum.trigger': 'webhook' },
    })
  })
})
