import { startServer, type TestServer } from '../server/gateways/start-server.ts'
import { until } from '../server/processes/until.ts'
import { type Collector, type ReceivedSpan, startCollector } from './start-collector.ts'

export const server = 2
export const internal = 1
export const client = 3

/** A trace that a test begins, as the client of the gateway. */
export interface TestTrace {
  readonly traceId: string
  /** The headers of its request. */
  readonly headers: Readonly<Record<string, string>>
  /** The spans of the trace, once that of the request has come. All others have ended before. */
  received(): Promise<ReceivedSpan[]>
}

/** A gateway with a collector that reads JSON. */
export interface TracedGateway extends TestServer {
  readonly collector: Collector
  newTrace(): TestTrace
  close(): Promise<void>
}

/** The id of the span that each trace of a test begins with. */
export const rootSpanId = '00f067aa0ba902b7'

export async function startTracedGateway(
  settings: Readonly<Record<string, string>> = {},
): Promise<TracedGateway> {
  const collector = await startCollector()
  const gateway = await startServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...settings,
  })
  let traces = 0
  return {
    ...gateway,
    collector,
    newTrace() {
      traces += 1
      const traceId = `4bf92f3577b34da6a3ce929d0e0e${traces.toString(16).padStart(4, '0')}`
      const spans = () => collector.spans().filter(span => span.traceId === traceId)
      return {
        traceId,
        headers: { traceparent: `00-${traceId}-${rootSpanId}-01` },
        async received() {
          await until(() => spans().some(({ kind }) => kind === server))
          return spans()
        },
      }
    },
    async close() {
      await gateway.stop()
      await collector.close()
    },
  }
}

/** Returns the first span of a name. */
export function spanOf(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.find(span => span.name === name)
  if (found === undefined) throw new Error(`There is no span ${name}, only ${spans.map(span => span.name)}.`)
  return found
}
