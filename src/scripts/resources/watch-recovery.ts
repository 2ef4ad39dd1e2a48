import { processorMsOf } from './child-resources.ts'
import { everyTick } from './every-tick.ts'

const recoveryMs = 2_000
// Most sandboxes have recovered by then.
const firstCheckMs = 20
// V8 takes up to 200 ms to dispose of a full isolate. A script that is still running takes more.
const maxProcessorMs = 400

/**
 * Watches a sandbox from the end of a run until the returned function is called. Calls `onFailure` with the reason if
 * the sandbox takes too long or computes for too long.
 */
export function watchRecovery(pid: number | undefined, onFailure: (reason: string) => void): () => void {
  const endedAt = performance.now()
  let firstProcessorMs: number | null = null
  return everyTick(now => {
    if (now - endedAt < firstCheckMs) return
    if (now - endedAt > recoveryMs) return onFailure('did not recover from its run in time')
    const processorMs = processorMsOf(pid) ?? 0
    firstProcessorMs ??= processorMs
    if (processorMs - firstProcessorMs > maxProcessorMs) onFailure('did not leave its script')
  })
}
