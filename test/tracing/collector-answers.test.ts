import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openTracing } from '../../src/tracing/open-tracing.ts'
import { rejectedSpans, startCollector } from './start-collector.ts'

const page = '<!doctype html><title>Not a collector</title>'
const noCollector =
  '"reason":"the answer is not OTLP. Check the endpoint of the collector","msg":"spans could not be sent"'

test.each([
  ['http/protobuf', rejectedSpans, '"reason":"too old","spans":5,"msg":"spans could not be sent"'],
  ['http/protobuf', page, noCollector],
  [
    'http/json',
    '{"partialSuccess":{"rejectedSpans":"5","errorMessage":"too old"}}',
    '"reason":"too old","spans":5,"msg":"spans could not be sent"',
  ],
  [
    'http/json',
    '{"partialSuccess":{"errorMessage":"use TLS"}}',
    '"reason":"use TLS","msg":"the collector of traces warns"',
  ],
  ['http/json', page, noCollector],
  ['http/json', 'null', noCollector],
])('the log says what a collector answers (%s, %o)', async (protocol, answer, line) => {
  const collector = await startCollector({ answer })
  onTestFinished(collector.close)
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  }
  // The exporter of OpenTelemetry reads the environment of its process.
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const lines: string[] = []
  const log = pino({}, { write: text => lines.push(text) })
  const options = { environment, log, databaseUrl: 'sqlite::memory:', maxEvents: 10 }
  const tracing = (await openTracing(options)) ?? expect.unreachable()
  tracing.begin('a span', 'internal', {}).end()
  await tracing.close()
  expect(lines.join('')).toContain(line)
})
