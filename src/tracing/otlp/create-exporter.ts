import type { IExportTraceServiceResponse } from '@opentelemetry/otlp-transformer'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { importQuickly } from '../../import-quickly.ts'
import { createEncodeSpans } from './encode-spans.ts'
import type { TraceSettings } from './trace-settings.ts'

// How often the log says that spans are lost, or that a collector warns.
const reportEveryMs = 60_000
const notSent = 'spans could not be sent'

/** Creates the exporter of a protocol. It logs when spans could not be sent, and what a collector warns of. */
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
  const reportedAt = new Map<string, number>()
  function report(facts: { readonly reason: string; readonly spans?: number }, message: string): void {
    const now = performance.now()
    if (now - (reportedAt.get(message) ?? Number.NEGATIVE_INFINITY) < reportEveryMs) return
    reportedAt.set(message, now)
    log.warn(facts, message)
  }
  // A page with status 200, such as that of another service at the same address, has taken no spans.
  function readAnswer(data: Uint8Array): IExportTraceServiceResponse {
    try {
      if (!isJson || data.length === 0) return serializer.deserializeResponse(data)
      // The serializer of JSON takes any text.
      const answer: unknown = JSON.parse(new TextDecoder().decode(data))
      if (typeof answer !== 'object' || answer === null) throw new TypeError('The answer is no object.')
      return answer
    } catch (error) {
      report({ reason: 'the answer is not OTLP. Check the endpoint of the collector' }, notSent)
      throw error
    }
  }
  const exporter = createOtlpHttpExportDelegate(
    convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', headers),
    {
      ...serializer,
      // A collector that rejects some spans, or only warns, answers with 200 all the same (OTLP, "Partial Success").
      deserializeResponse(data: Uint8Array) {
        const response = readAnswer(data)
        const { rejectedSpans, errorMessage } = response.partialSuccess ?? {}
        // JSON writes a number of 64 bits as text.
        const spans = Number(rejectedSpans ?? 0)
        if (spans > 0) report({ reason: errorMessage || 'the collector rejected them', spans }, notSent)
        else if (errorMessage) report({ reason: errorMessage }, 'the collector of traces warns')
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
        if (result.error !== undefined) report({ reason: result.error.message, spans: spans.length }, notSent)
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  }
}
