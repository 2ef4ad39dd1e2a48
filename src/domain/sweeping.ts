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
   * aborted, it stops after the transaction that runs.
   */
  delete(signal: AbortSignal): Promise<void>
}

interface Dependencies {
  readonly store: Pick<RunStore, 'beat' | 'markLost' | 'isShared'>
  readonly gateway: string
  readonly onError: (error: unknown) => void
}

/**
 * Records that the gateway is alive, finds the runs of dead gateways, and sweeps, one sweep after the other. One of the
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

  async function sweepAll(): Promise<void> {
    const now = performance.now()
    for (const sweep of sweeps) {
      if (stopped.signal.aborted) return
      if (now >= (dueAt.get(sweep) ?? 0)) await make(sweep, now)
    }
  }

  function look(): void {
    if (!isSweeper || running !== null) return
    running = sweepAll().finally(() => {
      running = null
    })
  }

  // A sweep that fails is due again at the next look.
  async function make(sweep: Sweep, now: number): Promise<void> {
    try {
      await sweep.delete(stopped.signal)
      // A look can come a little early.
      dueAt.set(sweep, now + sweep.everyMs - lookEveryMs / 2)
    } catch (error) {
      onError(error)
    }
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
