import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RecordedSpan, type SpanOutput } from '../../src/tracing/otlp/recorded-span.ts'

const millisecondsOf = ([seconds, nanoseconds]: ReadableSpan['startTime']) =>
  seconds * 1_000 + nanoseconds / 1_000_000

test('a trace has the time of a clock that was set after the start of the gateway', () => {
  const later = Date.now() + 3_600_000
  const clock = vi.spyOn(Date, 'now').mockReturnValue(later)
  onTestFinished(() => void vi.restoreAllMocks())
  const ended: ReadableSpan[] = []
  const output: SpanOutput = {
    resource: resourceFromAttributes({}),
    databaseSystem: 'sqlite',
    maxEvents: 1,
    onEnd: span => ended.push(span),
  }
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const start = { name: 'GET', kind: 'server', attributes: {}, traceId, parent: undefined } as const
  const request = new RecordedSpan(output, start)
  // Set again within the trace, the clock does not move the spans apart.
  clock.mockReturnValue(later - 3_600_000)
  request.begin('query', 'internal', {}).end()
  request.end()
  const [below, above] = ended.map(({ startTime, endTime }) => [startTime, endTime].map(millisecondsOf))
  const times = [above?.[0], below?.[0], below?.[1], above?.[1]]
  expect(times[0]).toBeCloseTo(later, 1)
  expect(times).toEqual(times.toSorted((a = 0, b = 0) => a - b))
  expect(times[3]).toBeLessThan(later + 60_000)
})
