import { FairQueue } from '../../limits/fair-queue.ts'
import type { ClaimedRun } from './queue-store.ts'

// Runs that can begin within this time are claimed ahead, so that one commit serves several of them.
const aheadMs = 50
const maxAhead = 16
const newestWeight = 0.2
// A run that gets no sandbox within this time goes back, because another gateway may have one.
const maxReadyMs = 250

export interface ReadyRun {
  readonly run: ClaimedRun
  /** Before this time the store had given it to this gateway. Of `performance.now()`. */
  readonly claimedAt: number
}

export interface ReadyRuns {
  readonly length: number
  /** True while there are enough runs that others need not be claimed at once. */
  readonly areMany: boolean
  add(run: ClaimedRun): void
  lengthOf(accountCode: string): number
  /** Removes and gives the next run, of the accounts in turn that may begin one; undefined if there is none. */
  take(mayBegin?: (accountCode: string) => boolean): ReadyRun | undefined
  /** Removes and gives all. */
  clear(): ClaimedRun[]
  /** How many runs to claim ahead for this number of sandboxes: none if runs have lately taken long. */
  aheadOf(sandboxes: number): number
  /** Takes the time that a run took. */
  count(durationMs: number): void
}

/**
 * Claimed runs that wait for a sandbox of this gateway. `giveBack` is called with those that have waited for 250 ms, or
 * a third of their lease.
 */
export function createReadyRuns(leaseMs: number, giveBack: (run: ClaimedRun) => void): ReadyRuns {
  const queue = new FairQueue<ReadyRun>()
  const maxMs = Math.min(maxReadyMs, leaseMs / 3)
  const isLate = ({ claimedAt }: ReadyRun) => performance.now() - claimedAt >= maxMs
  let averageMs = Number.POSITIVE_INFINITY
  let lastAhead = 0
  let timer: NodeJS.Timeout | null = null

  function planLook(): void {
    if (timer === null) timer = setTimeout(giveBackLate, maxMs).unref()
  }

  function giveBackLate(): void {
    timer = null
    for (const ready of queue.clear()) {
      if (isLate(ready)) giveBack(ready.run)
      else queue.add(ready.run.accountCode, ready)
    }
    if (queue.length > 0) planLook()
  }

  function take(mayBegin = (_accountCode: string) => true): ReadyRun | undefined {
    const next = [...queue.owners()].find(mayBegin)
    const ready = next === undefined ? undefined : queue.serve(next)
    if (ready === undefined || !isLate(ready)) return ready
    // The process hung, so its lease may have ended.
    giveBack(ready.run)
    return take(mayBegin)
  }

  return {
    get length() {
      return queue.length
    },
    get areMany() {
      return queue.length > lastAhead / 2
    },
    add(run) {
      queue.add(run.accountCode, { run, claimedAt: performance.now() })
      planLook()
    },
    lengthOf: accountCode => queue.lengthOf(accountCode),
    take,
    clear: () => queue.clear().map(({ run }) => run),
    aheadOf(sandboxes) {
      lastAhead = Math.min(maxAhead, Math.floor((sandboxes * aheadMs) / averageMs))
      return lastAhead
    },
    count(durationMs) {
      averageMs =
        averageMs === Number.POSITIVE_INFINITY
          ? durationMs
          : averageMs + newestWeight * (durationMs - averageMs)
    },
  }
}
