import type { Logger } from 'pino'
import type { Environment } from '../config.ts'
import { importQuickly } from '../import-quickly.ts'
import type { DatabaseSystem, Tracing } from './span.ts'

export interface OpenTracing {
  readonly environment: Environment
  readonly log: Logger
  readonly databaseUrl: string
  /** Maximum log entries of a run. Each is an event of the run's span. */
  readonly maxEvents: number
}

/**
 * Returns what sends spans; null if no collector is named. Then no module of OpenTelemetry is loaded. Throws a
 * `StartError` that names a wrong setting.
 */
export async function openTracing({
  environment,
  databaseUrl,
  ...options
}: OpenTracing): Promise<Tracing | null> {
  const isNamed =
    Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT) ||
    Boolean(environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
  const isOff =
    environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || environment.OTEL_TRACES_EXPORTER === 'none'
  if (!isNamed || isOff) return null
  const { readTraceSettings } = await import('./otlp/trace-settings.ts')
  const { createOtlpTracing } = await importQuickly(() => import('./otlp/otlp-tracing.ts'))
  const databaseSystem: DatabaseSystem = databaseUrl.startsWith('sqlite:') ? 'sqlite' : 'postgresql'
  return createOtlpTracing({ ...options, databaseSystem, settings: readTraceSettings(environment) })
}
