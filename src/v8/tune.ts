import { setFlagsFromString } from 'node:v8'
import { collectGarbage } from './collect-garbage.ts'
import { watchQuiet } from './quiet.ts'

const lookEveryMs = 60_000
// What small requests leave is less.
const muchBytes = 128 * 2 ** 20

/** Sets V8 for the requests of a gateway that has started. During the start, it would compile what runs once. */
export function tuneForRequests(): void {
  optimizeSooner()
  allocateYoung()
  collectSooner()
  collectWhenQuiet()
}

/**
 * Makes V8 optimize the code of requests sooner. It waits for 3,000 calls of a function, and longer while its types
 * change: a read was at its final cost only after 18,000 requests, and is so after a third of them.
 */
function optimizeSooner(): void {
  setFlagsFromString('--invocation-count-for-turbofan=300')
  setFlagsFromString('--minimum-invocations-after-ic-update=100')
}

/**
 * Makes optimized code allocate no objects in the old generation. V8 decides so for the code of an object that survived
 * some collections, for as long as the process lives. An object of a request then keeps all that it refers to until the
 * next collection of all garbage. In such a process, a read took up to twice the processor time.
 */
function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/**
 * Lets the heap at most double between two collections of all garbage. V8 would let it grow to four times its size:
 * ten tasks on cases of many values would take 700 MB instead of 500.
 */
function collectSooner(): void {
  setFlagsFromString('--heap-growing-percent=100')
}

/**
 * Collects what a load of large documents leaves: looks every minute whether the event loop was nearly idle, and the
 * process holds much more than at the start or after the last such collection. The collection also drops code that was
 * optimized for past requests: in the next two seconds, a read of 1,000 ids takes twice the processor time. Shorter
 * quiet times are common, for example between the bursts of one client. `start.mjs` turns off the collection that V8
 * makes of any garbage.
 */
function collectWhenQuiet(): void {
  const isQuiet = watchQuiet()
  let kept = readResidentBytes()
  setInterval(() => {
    if (!isQuiet() || readResidentBytes() < kept + muchBytes) return
    collectGarbage()
    kept = readResidentBytes()
  }, lookEveryMs).unref()
}

/** Returns 0 on a Linux without `/proc`, where Node throws. Nothing is collected there. */
function readResidentBytes(): number {
  try {
    return process.memoryUsage.rss()
  } catch {
    return 0
  }
}
