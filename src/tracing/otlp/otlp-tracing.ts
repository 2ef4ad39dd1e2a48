import { ROOT_CONTEXT, type SpanContext, SpanKind, TraceFlags, trace } from '@opentelemetry/api'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, SamplingDecision } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { DatabaseSystem, Span, SpanParent, Tracing } from '../span.ts'
import { createExporter } from './create-exporter.ts'
import { createSampler } from './create-sampler.ts'
import { RecordedSpan, UnsentSpan } from './recorded-span.ts'
import { createTraceId } from './trace-ids.ts'
import type { TraceSettings } from './trace-settings.ts'

// Maximum time for which a stop waits for the collector.
const closeMs = 3_000

type SpanStart = Parameters<SpanParent['begin']>

interface OtlpTracing {
  readonly settings: TraceSettings
  readonly databaseSystem: DatabaseSystem
  readonly log: Logger
  readonly maxEvents: number
}

/**
 * Creates what sends spans by OTLP over HTTP, in batches and without a request that waits for it. It registers nothing
 * with OpenTelemetry's global API and changes no module.
 */
export async function createOtlpTracing(options: OtlpTracing): Promise<Tracing> {
  const { settings, databaseSystem, log, maxEvents } = options
  const exporter = await createExporter(settings.protocol, log)
  const batches = new BatchSpanProcessor({ exporter, ...settings.batches })
  const sampler = createSampler(settings)
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'rostrum' }))
    .merge(detectResources({ detectors: [envDetector] }))
  const output = { resource, databaseSystem, maxEvents, onEnd: batches.onEnd.bind(batches) }

  // The sampler decides once for all spans of a trace in this gateway. Each of the samplers would decide the same for
  // the spans below.
  function isSent(traceId: string, parent: SpanContext | undefined): boolean {
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
    const { decision } = sampler.shouldSample(context, traceId, '', SpanKind.INTERNAL, {}, [])
    return decision === SamplingDecision.RECORD_AND_SAMPLED
  }

  function beginIn(traceId: string, parent: SpanContext | undefined, ...span: SpanStart): Span {
    if (!isSent(traceId, parent)) return new UnsentSpan(traceId, databaseSystem)
    const [name, kind, attributes] = span
    return new RecordedSpan(output, { name, kind, attributes, traceId, parent })
  }

  const root: Pick<Tracing, 'traceId' | 'databaseSystem' | 'begin'> = {
    traceId: null,
    databaseSystem,
    begin: (...span) => beginIn(createTraceId(), undefined, ...span),
  }
  return {
    ...root,
    continueFrom(traceparent) {
      const remote = traceparent === undefined ? null : readTraceparent(traceparent)
      if (remote === null) return root
      const { traceId } = remote
      return { traceId, databaseSystem, begin: (...span) => beginIn(traceId, remote, ...span) }
    },
    async close() {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(() => {
        log.warn({ reason: `the collector took longer than ${closeMs} ms` }, 'spans could not be sent')
        resolve()
      }, closeMs)
      // A failure is already in the log.
      await Promise.race([batches.shutdown().catch(() => undefined), late])
      clearTimeout(timer)
    },
  }
}

const traceparentForm =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

// Reads a `traceparent` header (W3C Trace Context, section 3.2): the span of another program that sends the request.
// Returns null for one that is not valid. A later version may add fields at the end.
function readTraceparent(header: string): SpanContext | null {
  const [, version, traceId, spanId, flags, rest] = traceparentForm.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (version === '00' && rest !== undefined) return null
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  }
}
