import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RecordedSpan, type SpanOutput } from '../../src/tracing/otlp/recorded-span.ts'

const millisecondsOf = ([seconds, nanoseconds]: ReadableSpan['startTime']) =>
  seconds * 1_000 + nanoseconds / 1_000_000

function begin(name: string, onEnd: SpanOutput['onEnd'] = () => {}): RecordedSpan {
  const resource = resourceFromAttributes({})
  const output: SpanOutput = { resource, databaseSystem: 'sqlite', maxEvents: 1, onEnd }
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  return new RecordedSpan(output, { name, kind: 'server', attributes: {}, traceId, parent: undefined })
}

test('a trace has the time of a clock that was set after the start of the gateway', () => {
  const later = Date.now() + 3_600_000
  const clock = vi.spyOn(Date, 'now').mockReturnValue(later)
  onTestFinished(() => void vi.restoreAllMocks())
  const ended: ReadableSpan[] = []
  const request = begin('GET', span => ended.push(span))
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

test.each([-3_600_000, 3_600_000])('after the clock was set by %i ms, an event is inside its span', ms => {
  const clock = vi.spyOn(Date, 'now')
  onTestFinished(() => void vi.restoreAllMocks())
  const span = begin('run')
  clock.mockReturnValue(Date.now() + ms)
  span.addEvent('log', {}, new Date(Date.now()))
  span.end()
  const times = [span.startTime, ...span.events.map(({ time }) => time), span.endTime].map(millisecondsOf)
  expect(times).toHaveLength(3)
  expect(times).toEqual(times.toSorted((a = 0, b = 0) => a - b))
})
