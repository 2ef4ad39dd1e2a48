import { performance } from 'node:perf_hooks'
import { releaseMemory } from './release-memory.ts'

const pollEveryMs = 1_000
const maxQuietUtilization = 0.05

/**
 * Loads in the first second in which the event loop is nearly idle, and collects the garbage of that in the next such
 * second. Returns a function that cancels the load.
 */
export function loadWhenQuiet(load: () => Promise<unknown>): () => void {
  const { signal, abort } = cancellation()
  onceQuiet(signal, () => {
    load().then(
      () => onceQuiet(signal, releaseMemory),
      // The request that needs it tries again, and reports the failure.
      () => undefined,
    )
  })
  return abort
}

function cancellation() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

function onceQuiet(signal: AbortSignal, work: () => void): void {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    if (signal.aborted) return clearInterval(timer)
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > maxQuietUtilization) return
    clearInterval(timer)
    work()
  }, pollEveryMs).unref()
}
