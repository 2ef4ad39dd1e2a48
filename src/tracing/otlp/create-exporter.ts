import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { importQuickly } from '../../import-quickly.ts'
import { createEncodeSpans } from './encode-spans.ts'
import type { TraceSettings } from './trace-settings.ts'

// How often the log says that spans are lost.
const reportEveryMs = 60_000

/** Creates the exporter of a protocol. It logs when spans could not be sent, or the collector took only some. */
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
  let reportedAt = Number.NEGATIVE_INFINITY
  function report(lost: { readonly reason: string; readonly spans: number }): void {
    const now = performance.now()
    if (now - reportedAt < reportEveryMs) return
    reportedAt = now
    log.warn(lost, 'spans could not be sent')
  }
  const exporter = createOtlpHttpExportDelegate(
    convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', headers),
    {
      ...serializer,
      // A collector that rejects some spans answers with 200 all the same (OTLP, "Partial Success").
      deserializeResponse(data: Uint8Array) {
        const response = serializer.deserializeResponse(data)
        const { rejectedSpans, errorMessage } = response.partialSuccess ?? {}
        // JSON writes a number of 64 bits as text.
        const spans = Number(rejectedSpans ?? 0)
        if (spans > 0) report({ reason: errorMessage || 'the collector rejected them', spans })
        return response
      },
    },
    'otlp_http_span_exporter',
    TraceExporterMetricsHelper,
    undefined,
  )
  return {
    export(spans, done) {
      exporter.export(spans, result => {
        if (result.error !== undefined) report({ reason: result.error.message, spans: spans.length })
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  }
}
