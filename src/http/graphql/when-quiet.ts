import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const pollEveryMs = 1_000
const maxQuietUtilization = 0.05
// Time of work in which V8 optimizes little. The rest of a start and the load take half a second.
const maxColdMs = 1_500

interface Collection {
  readonly type: 'major'
  readonly execution: 'sync'
  readonly flavor: 'last-resort'
}

/**
 * Loads in the first second in which the event loop is nearly idle, and collects the garbage of that and of the start
 * in the next such second: a collection at the start would cost 60 ms before `/ready`, and again here. A gateway that
 * has worked for longer keeps it. With the objects of past requests, the collection drops the code that was optimized
 * for them, and reads take twice the processor time for a second. Returns a function that cancels the load.
 */
export function loadWhenQuiet(load: () => Promise<unknown>): () => void {
  const stop = new AbortController()
  const start = performance.eventLoopUtilization()
  const isCold = () => performance.eventLoopUtilization(start).active < maxColdMs
  onceQuiet(stop.signal, () => {
    load().then(
      () => onceQuiet(stop.signal, () => isCold() && releaseMemory()),
      // The request that needs it tries again, and reports the failure.
      () => undefined,
    )
  })
  return () => stop.abort()
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

/**
 * Collects the garbage of the start, about 30 MB, which an idle V8 would not return to the system. It blocks the
 * process for about 50 ms. V8 provides the function only in contexts created while the flag is set.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: (how: Collection) => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
