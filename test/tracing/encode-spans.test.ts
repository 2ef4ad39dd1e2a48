import { SpanKind as OtelKind, TraceFlags } from '@opentelemetry/api'
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEncodeSpans } from '../../src/tracing/otlp/encode-spans.ts'
import { RecordedSpan, type SpanOutput } from '../../src/tracing/otlp/recorded-span.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

// Texts of every length that takes another number of bytes, in ASCII and beyond.
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .tuple(fc.constantFrom('a', 'é', '€', '😀'), fc.integer({ min: 0, max: 9_000 }))
    .map(([one, n]) => one.repeat(n)),
)
const attributes = fc.dictionary(
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 }).filter(name => name !== '__proto__'),
  fc.oneof(text, fc.maxSafeNat(), fc.nat(600), fc.constant(0.5)),
  { maxKeys: 5 },
)
const span = fc.record({
  name: text,
  kind: fc.constantFrom('server', 'internal', 'client'),
  attributes,
  more: attributes,
  parent: fc.constantFrom(
    undefined,
    { traceId, spanId: '00f067aa0ba902b7', traceFlags: TraceFlags.SAMPLED, isRemote: true },
    { traceId, spanId: 'ff00000000000001', traceFlags: TraceFlags.SAMPLED },
  ),
  events: fc.array(
    fc.tuple(
      text,
      attributes,
      fc.date({ min: new Date(0), max: new Date('2500-01-01'), noInvalidDate: true }),
    ),
    { maxLength: 5 },
  ),
  isFailed: fc.boolean(),
})

test('spans are encoded byte for byte as the serializer of OpenTelemetry encodes them', () => {
  const encode = createEncodeSpans()
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 8 }), given => {
      const ended: ReadableSpan[] = []
      const output: SpanOutput = {
        resource: resourceFromAttributes({ 'service.name': 'rostrum', 'process.pid': 7 }),
        databaseSystem: 'sqlite',
        maxEvents: 3,
        onEnd: one => ended.push(one),
      }
      for (const { events, more, isFailed, ...start } of given) {
        const recorded = new RecordedSpan(output, { ...start, traceId })
        recorded.set(more)
        for (const event of events) recorded.addEvent(...event)
        if (isFailed) recorded.fail()
        recorded.end()
      }
      const expected = Buffer.from(ProtobufTraceSerializer.serializeRequest(ended) ?? [])
      expect(Buffer.from(encode(ended)).equals(expected)).toBe(true)
      // Again, from what was kept.
      expect(Buffer.from(encode(ended)).equals(expected)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('more names than are kept are encoded too', () => {
  const encode = createEncodeSpans()
  for (let n = 0; n < 1_200; n += 1) {
    const ended: ReadableSpan[] = []
    const output: SpanOutput = {
      resource: resourceFromAttributes({}),
      databaseSystem: 'sqlite',
      maxEvents: 3,
      onEnd: one => ended.push(one),
    }
    new RecordedSpan(output, {
      name: `GET /${n}`,
      kind: 'server',
      attributes: { 'url.path': `/platform/cases/${n}` },
      traceId,
      parent: undefined,
    }).end()
    expect(ended[0]?.kind).toBe(OtelKind.SERVER)
    const expected = Buffer.from(ProtobufTraceSerializer.serializeRequest(ended) ?? [])
    expect(Buffer.from(encode(ended)).equals(expected)).toBe(true)
  }
})
