import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { importQuickly } from '../../import-quickly.ts'
import { createEncodeSpans } from './encode-spans.ts'
import type { TraceSettings } from './trace-settings.ts'

// How often the log says that spans are lost.
const reportEveryMs = 60_000

/** Creates the exporter of a protocol. It logs when spans could not be sent. */
export async function createExporter(
  protocol: TraceSettings['protocol'],
  log: Logger,
): Promise<SpanExporter> {
  const { convertLegacyHttpOptions, createOtlpHttpExportDelegate } = await importQuickly(
    () => import('@opentelemetry/otlp-exporter-base/node-http'),
  )
  const { JsonTraceSerializer, ProtobufTraceSerializer, TraceExporterMetricsHelper } = await importQuickly(
    () => import('@opentelemetry/otlp-transformer'),
  )
  const isJson = protocol === 'http/json'
  const headers = { 'Content-Type': isJson ? 'application/json' : 'application/x-protobuf' }
  const serializer = isJson
    ? JsonTraceSerializer
    : { ...ProtobufTraceSerializer, serializeRequest: createEncodeSpans() }
  const exporter = createOtlpHttpExportDelegate(
    convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', headers),
    serializer,
    'otlp_http_span_exporter',
    TraceExporterMetricsHelper,
    undefined,
  )
  let reportedAt = Number.NEGATIVE_INFINITY
  return {
    export(spans, done) {
      exporter.export(spans, result => {
        const now = performance.now()
        if (result.error !== undefined && now - reportedAt >= reportEveryMs) {
          reportedAt = now
          log.warn({ reason: result.error.message, spans: spans.length }, 'spans could not be sent')
        }
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  }
}
