import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { importQuickly } from '../import-quickly.ts'
import type { TraceSettings } from './trace-settings.ts'

// How often the log says that spans are lost.
const reportEveryMs = 60_000

/** Creates the exporter of a protocol. Only this one is loaded. It logs when spans could not be sent. */
export async function createExporter(
  protocol: TraceSettings['protocol'],
  log: Logger,
): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await importQuickly(() => import('@opentelemetry/exporter-trace-otlp-http'))
      : await importQuickly(() => import('@opentelemetry/exporter-trace-otlp-proto'))
  const exporter: SpanExporter = new OTLPTraceExporter()
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
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
