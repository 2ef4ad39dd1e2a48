import { performance } from 'node:perf_hooks'
import { collectGarbage } from './collect-garbage.ts'
import { watchQuiet } from './quiet.ts'

const pollEveryMs = 1_000
// Time of work in which V8 optimizes little. The rest of a start and the load take half a second.
const maxColdMs = 1_500

/**
 * Loads in the first second in which the event loop is nearly idle, and collects the garbage of that and of the start,
 * about 30 MB, in the next such second: a collection at the start would cost 60 ms before `/ready`, and again here. A
 * gateway that has worked for longer keeps it. With the objects of past requests, the collection drops the code that
 * was optimized for them, and reads take twice the processor time for a second. Returns a function that cancels the
 * load.
 */
export function loadWhenQuiet(load: () => Promise<unknown>): () => void {
  const stop = new AbortController()
  const start = performance.eventLoopUtilization()
  const isCold = () => performance.eventLoopUtilization(start).active < maxColdMs
  onceQuiet(stop.signal, () => {
    load().then(
      () => onceQuiet(stop.signal, () => isCold() && collectGarbage()),
      // The request that needs it tries again, and reports the failure.
      () => undefined,
    )
  })
  return () => stop.abort()
}

function onceQuiet(signal: AbortSignal, work: () => void): void {
  const isQuiet = watchQuiet()
  const timer = setInterval(() => {
    if (signal.aborted) return clearInterval(timer)
    if (!isQuiet()) return
    clearInterval(timer)
    work()
  }, pollEveryMs).unref()
}
