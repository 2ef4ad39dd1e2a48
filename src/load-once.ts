import { performance } from 'node:perf_hooks'
/**
 * Returns a function that loads on its first call and then returns the same value. The next call retries a failed load,
 * which can happen while connections use up all file descriptors.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null
  return () => {
    loading ??= load().catch(error => {
      loading = null
      throw error
    })
    return loading
  }
}

const lookEveryMs = 1_000
const maxQuietUtilization = 0.05

/** Loads in the first second in which the event loop has next to nothing to do; gives a function that gives up. */
export function loadWhenQuiet(load: () => Promise<unknown>): () => void {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > maxQuietUtilization) return
    clearInterval(timer)
    // The request that needs it tries again, and reports the failure.
    load().catch(() => undefined)
  }, lookEveryMs).unref()
  return () => clearInterval(timer)
}
