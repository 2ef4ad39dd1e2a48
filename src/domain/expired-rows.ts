import { setTimeout as sleep } from 'node:timers/promises'
import { retentionMs } from './idempotency/keyed-requests.ts'
import type { Store } from './store.ts'
import type { Sweep } from './sweeping.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000
// Maximum number of rows deleted in one transaction. A large transaction delays others.
const maxRowsAtOnce = 200
// A run has rows in three tables with many indexes. SQLite deletes this many in 6 ms, which blocks the event loop.
const maxRunsAtOnce = 100
// A function can have 25 MB of versions.
const maxFunctionsAtOnce = 5
// A run that began before its function was removed is written by then.
const unwrittenMs = 60_000
// Maximum number of dead queued runs of one account. Older ones are deleted.
const maxDead = 1_000
// Maximum number of dead queued runs deleted in one transaction: SQLite reads each page of their inputs.
const maxDeadAtOnce = 5
// Maximum time of one turn of a sweep. On a busy store, rows expire as fast as they are deleted.
const maxTurnMs = 5_000

/** How long rows are kept, and how many. */
export interface Retention {
  readonly runs: RunRetention
  /** Null keeps all events. */
  readonly eventMs: number | null
}

export interface RunRetention {
  readonly days: number
  /** Maximum number of runs of one account. */
  readonly count: number
  /** Maximum bytes of the long values of one account's runs. */
  readonly bytes: number
  readonly inputDays: number
}

/** What a gateway deletes of its store by itself: keys, runs, dead queued runs, ended leases and events. */
export function createSweeps(store: Store, { runs, eventMs }: Retention): Sweep[] {
  // A gateway whose own clock is ahead would delete what all gateways keep.
  const daysAgo = async (days: number) => (await store.runs.readClock()) - days * dayMs
  const deleteKeys = () => store.idempotency.deleteExpired(retentionMs, maxRowsAtOnce)
  const deleteRuns = async () => {
    const past = { startedBefore: await daysAgo(runs.days), maxRuns: runs.count, maxBytes: runs.bytes }
    return store.runs.deleteExpired(past, maxRunsAtOnce)
  }
  const deleteInputs = async () =>
    store.runs.deleteExpiredInputs(await daysAgo(runs.inputDays), maxRowsAtOnce)
  const deleteFunctions = () => store.runs.deleteRemovedFunctions(unwrittenMs, maxFunctionsAtOnce)
  return [
    { everyMs: minuteMs, delete: signal => untilNone(deleteKeys, 10, signal) },
    { everyMs: minuteMs, delete: signal => untilNone(deleteRuns, 10, signal) },
    { everyMs: minuteMs, delete: signal => untilNone(deleteInputs, 20, signal) },
    { everyMs: minuteMs, delete: signal => untilNone(deleteFunctions, 20, signal) },
    {
      everyMs: minuteMs,
      delete: signal =>
        withinTurn(turn => store.queue.deleteDeadBeyond(maxDead, maxDeadAtOnce, turn), signal),
    },
    {
      everyMs: hourMs,
      delete: signal => whole(store.queue.deleteExpiredDead(runs.days * dayMs, maxDeadAtOnce, signal)),
    },
    { everyMs: hourMs, delete: () => whole(store.cases.deleteEndedLeases()) },
    {
      everyMs: hourMs,
      delete: async signal =>
        eventMs === null || withinTurn(turn => store.deleteExpiredEvents(eventMs, turn), signal),
    },
  ]
}

async function whole(deletion: Promise<unknown>): Promise<true> {
  await deletion
  return true
}

// Calls `deleteAll` with a signal that is aborted at the latest when the turn is over. Returns true if it came to its
// end before.
async function withinTurn(
  deleteAll: (turn: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), maxTurnMs)
  const turn = AbortSignal.any([signal, over.signal])
  try {
    await deleteAll(turn)
  } finally {
    clearTimeout(timer)
  }
  return !turn.aborted
}

// Calls `deleteSome`, which returns how many rows it deleted, until it deletes none, the turn is over or the signal is
// aborted. Returns true if it deleted none.
async function untilNone(
  deleteSome: () => Promise<number>,
  pauseMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const endAt = performance.now() + maxTurnMs
  while (!signal.aborted && performance.now() < endAt) {
    if ((await deleteSome()) === 0) return true
    await sleep(pauseMs)
  }
  return false
}
