import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { createExporter } from './create-exporter.ts'
import { createSampler } from './create-sampler.ts'
import type { DatabaseSystem, SpanKind as Kind, Span, SpanAttributes, Tracing } from './span.ts'
import type { TraceSettings } from './trace-settings.ts'

// Maximum time for which a stop waits for the collector.
const closeMs = 3_000

const kinds = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL, client: SpanKind.CLIENT }

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
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'rostrum' }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: createSampler(settings),
    spanLimits: { eventCountLimit: maxEvents },
    spanProcessors: [new BatchSpanProcessor({ exporter, ...settings.batches })],
  })
  const tracer = provider.getTracer('rostrum')

  function parentIn(context: Context) {
    return {
      databaseSystem,
      begin: (name: string, kind: Kind, attributes: SpanAttributes) =>
        toSpan(tracer.startSpan(name, { kind: kinds[kind], attributes }, context), context),
    }
  }

  function toSpan(span: OtelSpan, context: Context): Span {
    const { traceId, traceFlags } = span.spanContext()
    return {
      traceId,
      isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0,
      ...parentIn(trace.setSpan(context, span)),
      set: attributes => void span.setAttributes(attributes),
      addEvent: (name, attributes, at) => void span.addEvent(name, attributes, at),
      fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
      end: () => span.end(),
    }
  }

  const root = { traceId: null, ...parentIn(ROOT_CONTEXT) }
  return {
    ...root,
    continueFrom(traceparent) {
      const remote = traceparent === undefined ? null : readTraceparent(traceparent)
      if (remote === null) return root
      const { traceId, spanId, isSampled } = remote
      const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
      const span = { traceId, spanId, traceFlags, isRemote: true }
      return { traceId, ...parentIn(trace.setSpanContext(ROOT_CONTEXT, span)) }
    },
    async close() {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, closeMs)
      // A failure is already in the log.
      await Promise.race([provider.shutdown().catch(() => undefined), late])
      clearTimeout(timer)
    },
  }
}

// The span of another program that sends the request (W3C Trace Context, section 3.2).
interface RemoteSpan {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

const traceparentForm =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

// Reads a `traceparent` header. Returns null for one that is not valid. A later version may add fields at the end.
function readTraceparent(header: string): RemoteSpan | null {
  const [, version, traceId, spanId, flags, rest] = traceparentForm.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (version === '00' && rest !== undefined) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
