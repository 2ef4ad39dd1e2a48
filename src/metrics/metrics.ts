import type { Logger } from 'pino'
import { loadOnce } from '../load-once.ts'
import { endBefore } from '../signals/end-before.ts'
import { readVersion } from '../version.ts'
import type { Counts } from './counts.ts'
import type { Gauges } from './print-metrics.ts'

const countQueuedEveryMs = 10_000
// Less than the 10 s that Prometheus waits for a scrape, so that a store that hangs hides no other metric.
const countQueuedTimeoutMs = 5_000
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

interface Dependencies {
  readonly counts: Counts
  readonly store: 'sqlite' | 'postgres'
  readonly readScripts: () => Omit<Gauges, 'queuedRuns'>
  readonly countQueued: () => Promise<NonNullable<Gauges['queuedRuns']>>
  readonly log: Pick<Logger, 'warn'>
}

/** Returns a function that prints the metrics. Nothing of it is loaded before the first call. */
export function createMetrics({
  counts,
  store,
  readScripts,
  countQueued,
  log,
}: Dependencies): () => Promise<string> {
  const loadPrinter = loadOnce(async () => {
    const { createPrinter } = await import('./print-metrics.ts')
    return createPrinter(counts, { version: readVersion(), store })
  })
  function countOrLeaveOut(): Promise<Gauges['queuedRuns']> {
    const error = () => new Error('The store did not answer in time.')
    return endBefore(countQueued(), { after: { ms: countQueuedTimeoutMs, error } }).catch(err => {
      log.warn({ err, metric: 'rostrum_queued_runs' }, 'a metric could not be read')
      return null
    })
  }
  // The last count is kept as a promise, so scrapes that come while it runs share it. It ends before the next begins.
  let countedAt = Number.NEGATIVE_INFINITY
  let queuedRuns: Promise<Gauges['queuedRuns']> = Promise.resolve(null)
  return async () => {
    const print = await loadPrinter()
    const now = performance.now()
    if (now - countedAt >= countQueuedEveryMs) {
      countedAt = now
      queuedRuns = countOrLeaveOut()
    }
    const queued = await queuedRuns
    return print({ ...readScripts(), queuedRuns: queued })
  }
}
