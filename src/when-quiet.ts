import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const pollEveryMs = 1_000
const maxQuietUtilization = 0.05

interface Collection {
  readonly type: 'major'
  readonly execution: 'sync'
  readonly flavor: 'last-resort'
}

/**
 * Loads in the first second in which the event loop is nearly idle. If it was idle from the start, collects the garbage
 * of the start in the second after the load: a collection at the start would cost 60 ms before `/ready`. A gateway that
 * has been busy keeps it: with the objects of past requests, the collection drops the code that was optimized for them,
 * and reads take twice the processor time for a second. Returns a function that cancels the load.
 */
export function loadWhenQuiet(load: () => Promise<unknown>): () => void {
  const { signal, abort } = cancellation()
  onceQuiet(signal, wasBusy => {
    load().then(
      () => wasBusy || onceQuiet(signal, isBusy => isBusy || releaseMemory()),
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

/** Calls `work` in the first quiet second, with true if a busy one came before it. */
function onceQuiet(signal: AbortSignal, work: (wasBusy: boolean) => void): void {
  let before = performance.eventLoopUtilization()
  let wasBusy = false
  const timer = setInterval(() => {
    if (signal.aborted) return clearInterval(timer)
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > maxQuietUtilization) {
      wasBusy = true
      return
    }
    clearInterval(timer)
    work(wasBusy)
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
