import type { RunStore } from './runs/run-store.ts'

const beatEveryMs = 4_000
// A gateway without a sign of life for this time counts as dead. Its runs are then lost.
const leaseMs = 15_000
const lookEveryMs = 60_000

/** Rows that are deleted when they are past their time or their number. */
export interface Sweep {
  /** The time between two beginnings: a minute, or some minutes. */
  readonly everyMs: number
  /**
   * Deletes all such rows, some in each transaction, so that others can use the store in between. If the signal is
   * aborted, it stops after the transaction that runs. Returns false if its turn ended before it had deleted all.
   */
  delete(signal: AbortSignal): Promise<boolean>
}

interface Dependencies {
  readonly store: Pick<RunStore, 'beat' | 'markLost' | 'isShared'>
  readonly gateway: string
  readonly onError: (error: unknown) => void
}

/**
 * Records that the gateway is alive, finds the runs of dead gateways, and sweeps, one sweep at a time. One of the
 * gateways of a store does the last two. Returns a function that stops it, and resolves when no sweep runs any more.
 */
export function startSweeping(
  sweeps: readonly Sweep[],
  { store, gateway, onError }: Dependencies,
): () => Promise<void> {
  const stopped = new AbortController()
  const dueAt = new Map<Sweep, number>()
  let isSweeper = !store.isShared
  let running: Promise<void> | null = null
  let beating: Promise<void> | null = null

  async function beat(): Promise<void> {
    isSweeper = await store.beat(gateway, leaseMs)
    if (isSweeper && !stopped.signal.aborted) await store.markLost(leaseMs)
    // The runs of a store that only one gateway serves can be lost only before its start.
    if (!store.isShared) clearInterval(beats)
  }

  // Sweeps that have more to delete take turns, so that no sweep waits until another finds nothing any more.
  async function sweepAll(): Promise<void> {
    let hasMore = true
    while (hasMore) {
      hasMore = false
      for (const sweep of sweeps) {
        if (stopped.signal.aborted || !isSweeper) return
        if (!(await makeIfDue(sweep))) hasMore = true
      }
    }
  }

  function look(): void {
    if (!isSweeper || running !== null) return
    running = sweepAll().finally(() => {
      running = null
    })
  }

  // Returns false if the sweep has more to delete. One that fails is due again at the next look, or in the same one
  // after half a minute.
  async function makeIfDue(sweep: Sweep): Promise<boolean> {
    const now = performance.now()
    if (now < (dueAt.get(sweep) ?? 0)) return true
    let isSwept = true
    let everyMs = lookEveryMs
    try {
      isSwept = await sweep.delete(stopped.signal)
      everyMs = sweep.everyMs
    } catch (error) {
      onError(error)
    }
    // A look can come a little early.
    if (isSwept) dueAt.set(sweep, now + everyMs - lookEveryMs / 2)
    return isSwept
  }

  function startBeat(): void {
    beating = beat().catch(onError)
  }

  const beats = setInterval(startBeat, beatEveryMs)
  startBeat()
  const timers = [beats, setInterval(look, lookEveryMs)]
  for (const timer of timers) timer.unref()
  return async () => {
    timers.forEach(clearInterval)
    stopped.abort()
    await Promise.all([beating, running])
  }
}
