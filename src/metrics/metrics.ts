import { loadOnce } from '../load-once.ts'
import { readVersion } from '../version.ts'
import type { Counts } from './counts.ts'
import type { Gauges } from './print-metrics.ts'

const countQueuedEveryMs = 10_000
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

interface Dependencies {
  readonly counts: Counts
  readonly store: 'sqlite' | 'postgres'
  readonly readScripts: () => Omit<Gauges, 'queuedRuns'>
  readonly countQueued: () => Promise<Gauges['queuedRuns']>
}

/** Returns a function that prints the metrics. Nothing of it is loaded before the first call. */
export function createMetrics({
  counts,
  store,
  readScripts,
  countQueued,
}: Dependencies): () => Promise<string> {
  const loadPrinter = loadOnce(async () => {
    const { createPrinter } = await import('./print-metrics.ts')
    return createPrinter(counts, { version: readVersion(), store })
  })
  let queued = { at: Number.NEGATIVE_INFINITY, runs: { waiting: 0, dead: 0 } as Gauges['queuedRuns'] }
  return async () => {
    const print = await loadPrinter()
    const now = performance.now()
    if (now - queued.at >= countQueuedEveryMs) queued = { at: now, runs: await countQueued() }
    return print({ ...readScripts(), queuedRuns: queued.runs })
  }
}
