import { collectDefaultMetrics, Registry } from '@prometheus-io/client'
import type { Counts } from './counts.ts'
import { bounds, type Histogram } from './histogram.ts'

/** The state of a gateway at this moment. */
export interface Gauges {
  readonly runsWaiting: number
  readonly sandboxes: Readonly<Record<'idle' | 'busy' | 'starting', number>>
  /** Null if the store could not count them. The metric then has no samples. */
  readonly queuedRuns: Readonly<Record<'waiting' | 'dead', number>> | null
}

export interface BuildInfo {
  readonly version: string
  readonly store: 'sqlite' | 'postgres'
}

type Labels = Readonly<Record<string, string | number>>

// A lag that was not measured since the last scrape. The client library prints its mean as `Nan`, which the format
// spells `NaN`, and its minimum as 2^63 nanoseconds, which is 292 years.
const unmeasured = /^nodejs_eventloop_lag_\w+ (?:Nan|9223372036\.\d+)\n/gm

/** Returns a function that prints the metrics in the text format of Prometheus. */
export function createPrinter(
  counts: Counts,
  { version, store }: BuildInfo,
): (gauges: Gauges) => Promise<string> {
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  return async ({ runsWaiting, sandboxes, queuedRuns }) => {
    const info = { version, node: process.version, store }
    const parts = [
      family('rostrum_build_info', 'gauge', 'What runs here.', [sample(info, 1)]),
      family(
        'rostrum_http_requests_total',
        'counter',
        'Requests that were answered.',
        [...new Set(counts.requests.values())].flatMap(({ method, route, statuses }) =>
          [...statuses].map(([status, count]) => sample({ method, route, status }, count)),
        ),
      ),
      family(
        'rostrum_http_request_duration_seconds',
        'histogram',
        'Time from the head of a request to the end of its answer.',
        [...new Set(counts.requests.values())].flatMap(({ method, route, durations }) =>
          samplesOf({ method, route }, durations),
        ),
      ),
      family(
        'rostrum_runs_total',
        'counter',
        'Runs of scripts that ended.',
        [...counts.runs.values()].map(({ run: { trigger, outcome, code }, count }) =>
          sample({ trigger, outcome, code }, count),
        ),
      ),
      family(
        'rostrum_run_duration_seconds',
        'histogram',
        'Time of a run, with its wait for a sandbox.',
        [...counts.runDurations].flatMap(([trigger, durations]) => samplesOf({ trigger }, durations)),
      ),
      family('rostrum_runs_waiting', 'gauge', 'Runs that wait for a sandbox.', [sample({}, runsWaiting)]),
      family('rostrum_streams', 'gauge', 'Answers that are open streams.', [sample({}, counts.streams)]),
      family(
        'rostrum_queued_runs',
        'gauge',
        'Queued runs of all accounts, counted at most every 10 s.',
        Object.entries(queuedRuns ?? {}).map(([state, count]) => sample({ state }, count)),
      ),
      family(
        'rostrum_sandboxes',
        'gauge',
        'Sandbox processes.',
        Object.entries(sandboxes).map(([state, count]) => sample({ state }, count)),
      ),
      family(
        'rostrum_sandbox_restarts_total',
        'counter',
        'Sandboxes that were replaced.',
        [...counts.restarts].map(([cause, count]) => sample({ cause }, count)),
      ),
      family(
        'rostrum_store_duration_seconds',
        'histogram',
        'Time of reads and writes, with their wait for a connection.',
        (['read', 'write'] as const).flatMap(operation =>
          samplesOf({ store, operation }, counts.store[operation]),
        ),
      ),
    ]
    const metricsOfProcess = await ofProcess.metrics()
    return `${parts.join('')}${metricsOfProcess.replace(unmeasured, '')}`
  }
}

interface Sample {
  readonly suffix: string
  readonly labels: Labels
  readonly value: number
}

function sample(labels: Labels, value: number, suffix = ''): Sample {
  return { suffix, labels, value }
}

function samplesOf(labels: Labels, histogram: Histogram): Sample[] {
  const { upTo, count, seconds } = histogram.read()
  return [
    ...upTo.map((value, index) => sample({ ...labels, le: bounds[index] ?? 0 }, value, '_bucket')),
    sample({ ...labels, le: '+Inf' }, count, '_bucket'),
    sample(labels, seconds, '_sum'),
    sample(labels, count, '_count'),
  ]
}

function family(
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: readonly Sample[],
): string {
  const lines = samples.map(({ suffix, labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
    return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join()}}`} ${value}`
  })
  return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`
}
