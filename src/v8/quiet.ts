import { performance } from 'node:perf_hooks'

const maxQuietUtilization = 0.05

/** Returns a function that says whether the event loop has been nearly idle since its last call, or since this one. */
export function watchQuiet(): () => boolean {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization <= maxQuietUtilization
  }
}
