import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPage } from '../docs/pages.ts'
import { saveHook } from '../http/rest/save-hook.ts'
import { sendJson, startUpstream, type Upstream } from '../server/gateways/start-upstream.ts'
import { findFreePort } from '../server/processes/free-port.ts'
import { until } from '../server/processes/until.ts'
import { rootSpanId, server, spanOf, startTracedGateway, type TracedGateway } from './traced-gateway.ts'

let upstream: Upstream
let gateway: TracedGateway

beforeAll(async () => {
  upstream = await startUpstream((_, response) => sendJson(response, { data: { secret: 'answer-to-hide' } }))
  gateway = await startTracedGateway({
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    // Nobody listens there, so a JWT cannot be checked.
    ROSTRUM_JWKS_URL: `http://127.0.0.1:${await findFreePort()}/keys`,
  })
})
afterAll(async () => {
  await gateway.close()
  await upstream.close()
})

test('an unsampled trace is not sent, and a bad `traceparent` begins a new one', async () => {
  const id = '4bf92f3577b34da6a3ce929d0e0eaaaa'
  const execute = (traceparent: string) => gateway.execute('exit(1)', { headers: { traceparent } })
  await execute(`00-${id}-${rootSpanId}-00`)
  const bad = [
    '',
    'x',
    `00-${id}-${rootSpanId}`,
    `00-${id}-${rootSpanId}-01-more`,
    `ff-${id}-${rootSpanId}-01`,
    `00-${'0'.repeat(32)}-${rootSpanId}-01`,
    `00-${id}-${'0'.repeat(16)}-01`,
    `00-${id.toUpperCase()}-${rootSpanId}-01`,
  ]
  for (const traceparent of bad) await execute(traceparent)
  const requests = () => gateway.collector.spans().filter(({ name }) => name.startsWith('POST'))
  await until(() => requests().length === bad.length)
  expect(requests().map(({ parentSpanId }) => parentSpanId)).toEqual(bad.map(() => null))
  expect(new Set(requests().map(({ traceId }) => traceId)).size).toBe(bad.length)
  expect(gateway.collector.spans().map(({ traceId }) => traceId)).not.toContain(id)
  await execute(`42-${id}-${rootSpanId}-01-of-a-later-version`)
  await until(() => requests().some(({ traceId }) => traceId === id))
})

test('each log line of a traced request has its `traceId`', async () => {
  const trace = gateway.newTrace()
  const asked = await gateway.execute(`console.log('said'); exit(1)`, { headers: trace.headers })
  await trace.received()
  const runId = asked.body.task_execution.id
  const lines = () =>
    gateway
      .stdout()
      .split('\n')
      .filter(line => line.includes(runId) || line.includes(String(asked.headers.get('x-request-id'))))
      .map(line => JSON.parse(line))
  await until(() => lines().some(({ msg }) => msg === 'request'))
  expect(lines().map(({ msg }) => msg)).toEqual(['log of a script', 'task ended', 'request'])
  expect(lines().map(({ traceId }) => traceId)).toEqual([trace.traceId, trace.traceId, trace.traceId])
})

test('each log line of a queued run, and of the runs inside it, has the `traceId` of the run', async () => {
  const inner = { name: 'inner', sourceCode: `log('inside'); exit(1)`, inputDocument: {}, options: {} }
  const source = `log('outside'); await Platform.tasks.execute(${JSON.stringify(inner)}); exit(1)`
  const hook = { caseTypeCode: 'nesting', event: 'post-save', scopes: ['tasks:execute'] } as const
  await saveHook(gateway, source, hook)
  const body = { case: { case_type_code: 'nesting', data: {} } }
  const { headers, status } = await gateway.rest('POST', '/platform/cases', { body })
  expect(status).toBe(201)
  const txnID = headers.get('x-request-id')
  const lines = () =>
    gateway
      .stdout()
      .split('\n')
      .filter(line => line.includes(`"txnID":"${txnID}"`))
      .map(line => JSON.parse(line))
      .filter(({ msg }) => msg !== 'request')
  await until(() => lines().filter(({ msg }) => msg === 'task ended').length === 2)
  expect(lines()).toHaveLength(4)
  const [traceId, ...others] = new Set(lines().map(line => line.traceId))
  expect(traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(others).toEqual([])
})

test('a 5xx has the status ERROR, a refused request has not', async () => {
  const statusOf = async (path: string, token: string | null) => {
    const trace = gateway.newTrace()
    await gateway.rest('GET', path, { headers: trace.headers, token })
    const [request] = await trace.received()
    return request
  }
  const unknown = await statusOf('/someone@example.com?token=secret', null)
  expect(unknown).toMatchObject({ name: 'GET', isError: false })
  expect(unknown?.attributes).toEqual({
    'http.request.method': 'GET',
    'url.scheme': 'http',
    'http.response.status_code': 404,
  })
  expect(await statusOf('/platform/team_memberships?ids[]=1', null)).toMatchObject({
    isError: false,
    attributes: { 'http.response.status_code': 401, 'url.path': '/platform/team_memberships' },
  })
  const jwt = `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.e30.AAAA`
  const failed = await statusOf('/platform/team_memberships?ids[]=1', jwt)
  expect(failed?.attributes['http.response.status_code']).toBeGreaterThanOrEqual(500)
  expect(failed?.isError).toBe(true)
})

test('no span holds what callers sent or got, and neither scripts nor other hosts get a trace id', async () => {
  const token = await gateway.token({ account: 'account-to-hide', email: 'mail-to-hide@example.com' })
  const trace = gateway.newTrace()
  const sourceCode = `// source-to-hide
    console.log('log-to-hide')
    await graphql('query Shown { user(id: 7) { note_to_hide: email } }', { v: 'variable-to-hide' })
    await graphql('{ x }', {}, '${upstream.url}/?query=query-to-hide')
    fail('message-to-hide ' + JSON.stringify([payload, options, requestContext()]))`
  const { body, text } = await gateway.execute(
    { sourceCode, name: 'name-to-hide', inputDocument: { given: 'payload-to-hide' } },
    { headers: trace.headers, token },
  )
  expect(body.task_execution.outcome).toBe('fail')
  expect(text).not.toContain(trace.traceId)
  expect(upstream.requests).toHaveLength(1)
  expect(JSON.stringify(upstream.requests)).not.toMatch(new RegExp(`${trace.traceId}|traceparent|tracestate`))
  const found = await gateway.rest('GET', '/platform/users/mail-to-hide@example.com?q=query-to-hide', {
    headers: gateway.newTrace().headers,
    token,
  })
  expect(found.status).toBe(400)
  const spans = await trace.received()
  expect(spanOf(spans, 'query').attributes['graphql.operation.name']).toBe('Shown')
  const shown = () =>
    gateway.collector.spans().filter(({ attributes }) => attributes['url.path'] === '/platform/users/{id}')
  await until(() => shown().length === 1)
  const sent = gateway.collector.exports.map(exported => exported.body.toString()).join()
  expect(sent.match(/[\w-]*.to.hide/g)).toBe(null)
  expect(sent).not.toContain(token)
  expect(sent).not.toContain(gateway.adminToken)
})

test('the page of traces has every attribute of a span', async () => {
  const trace = gateway.newTrace()
  const query = 'query Shown { viewer { accountCode } }'
  await gateway.execute(`await graphql('${query}'); exit(1)`, { headers: trace.headers })
  await gateway.execute('missing()', { headers: trace.headers })
  const spans = () => gateway.collector.spans().filter(({ traceId }) => traceId === trace.traceId)
  await until(() => spans().filter(({ kind }) => kind === server).length === 2)
  const names = new Set(spans().flatMap(({ attributes }) => Object.keys(attributes)))
  expect(names.size).toBeGreaterThan(10)
  const { text } = readPage('docs/traces.md')
  expect([...names].filter(name => !text.includes(`\`${name}\``))).toEqual([])
})
