import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server/gateways/start-server.ts'
import { until } from '../server/processes/until.ts'
import { type Collector, type ReceivedSpan, startCollector } from './start-collector.ts'

let collector: Collector
let server: TestServer

beforeAll(async () => {
  collector = await startCollector()
  server = await startServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  })
})

afterAll(async () => {
  await server.stop()
  await collector.close()
})

let traces = 0

// A trace of its own for each request of the tests.
function newTrace() {
  traces += 1
  const traceId = `4bf92f3577b34da6a3ce929d0e0e${traces.toString(16).padStart(4, '0')}`
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  return {
    headers,
    spans: () => collector.spans().filter(span => span.traceId === traceId),
    // The spans of the trace once that of the request has come.
    async received(): Promise<ReceivedSpan[]> {
      await until(() => this.spans().some(({ kind }) => kind === 2))
      return this.spans()
    },
  }
}

const named = (spans: readonly ReceivedSpan[], name: string) => {
  const found = spans.find(span => span.name === name)
  if (found === undefined) throw new Error(`no span ${name} among ${spans.map(span => span.name)}`)
  return found
}

test('a run has the spans of its request, operation, waiting and script', async () => {
  const trace = newTrace()
  const answer = await server.execute(`console.log('secret'); console.warn(1); exit(1)`, {
    headers: trace.headers,
  })
  expect(answer.status).toBe(200)
  const spans = await trace.received()
  const request = named(spans, 'POST /api/1/endpoint/execute')
  expect(request).toMatchObject({
    kind: 2,
    parentSpanId: '00f067aa0ba902b7',
    isError: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/1/endpoint/execute',
      'url.path': '/api/1/endpoint/execute',
      'url.scheme': 'http',
      'http.response.status_code': 200,
    },
    resource: { 'service.name': 'rostrum' },
  })
  const operation = named(spans, 'mutation')
  expect(operation).toMatchObject({ kind: 1, parentSpanId: request.spanId })
  const { id, request_context } = answer.body.task_execution as unknown as {
    id: string
    request_context: { txnID: string }
  }
  const run = { 'rostrum.run_id': id, 'rostrum.txn_id': request_context.txnID, 'rostrum.trigger': 'endpoint' }
  expect(named(spans, 'rostrum.wait')).toMatchObject({
    kind: 1,
    parentSpanId: operation.spanId,
    attributes: run,
  })
  const ofRun = named(spans, 'rostrum.run')
  expect(ofRun).toMatchObject({ kind: 1, parentSpanId: operation.spanId })
  expect(ofRun.attributes).toEqual({ ...run, 'rostrum.outcome': 'exit' })
  expect(ofRun.events).toEqual([
    { name: 'log', attributes: { level: 'info' } },
    { name: 'log', attributes: { level: 'warn' } },
  ])
})
