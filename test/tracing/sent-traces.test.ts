import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../server/gateways/start-server.ts'
import { until } from '../server/processes/until.ts'
import { rejectedSpans, startCollector } from './start-collector.ts'
import { rootSpanId, spanOf, startTracedGateway } from './traced-gateway.ts'

test('headers, the name of the service, its attributes and the sampler are those of the environment', async () => {
  const gateway = await startTracedGateway({
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=abc,x-other=1%202',
    OTEL_SERVICE_NAME: 'edge',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  onTestFinished(gateway.close)
  await gateway.rest('GET', '/health', { token: null })
  const trace = gateway.newTrace()
  await gateway.rest('GET', '/health', { token: null, headers: trace.headers })
  const spans = await trace.received()
  expect(spans).toHaveLength(1)
  expect(spans[0]).toMatchObject({ name: 'GET /health', parentSpanId: rootSpanId })
  expect(spans[0]?.resource).toMatchObject({
    'service.name': 'edge',
    'deployment.environment.name': 'test',
  })
  const [first] = gateway.collector.exports
  expect(first?.path).toBe('/v1/traces')
  expect(first?.headers).toMatchObject({
    'x-key': 'abc',
    'x-other': '1 2',
    'content-type': 'application/json',
  })
  // The sampler takes none of the gateway's own traces.
  expect(gateway.collector.spans().filter(({ parentSpanId }) => parentSpanId === null)).toEqual([])
})

test('the default is protobuf, the endpoint is taken as it is, and the log says what is rejected', async () => {
  const collector = await startCollector({ answer: rejectedSpans })
  onTestFinished(collector.close)
  const gateway = await startServer({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
    OTEL_BSP_SCHEDULE_DELAY: '20',
  })
  onTestFinished(async () => void (await gateway.stop()))
  await gateway.execute('exit(1)')
  const bytes = () => Buffer.concat(collector.exports.map(({ body }) => body))
  await until(() => bytes().includes('rostrum.run'))
  const [first] = collector.exports
  expect(first).toMatchObject({ path: '/own/path', headers: { 'content-type': 'application/x-protobuf' } })
  // A message of protobuf that begins with `resource_spans`, field 1 with a length.
  expect(first?.body[0]).toBe(0x0a)
  expect(bytes().includes('service.name')).toBe(true)
  await until(() => gateway.stdout().includes('"reason":"too old","spans":5,"msg":"spans could not be sent"'))
})

test('SIGTERM sends what is left', async () => {
  const gateway = await startTracedGateway({ OTEL_BSP_SCHEDULE_DELAY: '600000' })
  onTestFinished(gateway.collector.close)
  await gateway.execute('exit(1)')
  expect(gateway.collector.exports).toEqual([])
  expect(await gateway.stop()).toBe(0)
  const spans = gateway.collector.spans()
  expect(spanOf(spans, 'rostrum.run').attributes['rostrum.outcome']).toBe('exit')
  expect(spanOf(spans, 'POST /api/1/endpoint/execute').parentSpanId).toBe(null)
})
