import { FairQueue } from '../../fairness/fair-queue.ts'
import type { ClaimedRun } from './queue-store.ts'

// Runs that can begin within this time are claimed ahead, so that one commit serves several of them.
const aheadMs = 50
const maxAhead = 16
const newestWeight = 0.2
// A run that gets no sandbox within this time goes back, because another gateway may have one.
const maxReadyMs = 250

export interface ReadyRun {
  readonly run: ClaimedRun
  /** The run was claimed before this time of `performance.now()`. */
  readonly claimedAt: number
  /** The lease ends at this time of `performance.now()` or later. */
  readonly leasedUntil: number
}

/** Claimed runs that wait for a sandbox of this gateway: for 250 ms, or a third of their lease. */
export class ReadyRuns {
  readonly #queue = new FairQueue<ReadyRun>()
  readonly #maxMs: number
  #averageMs = Number.POSITIVE_INFINITY

  constructor(leaseMs: number) {
    this.#maxMs = Math.min(maxReadyMs, leaseMs / 3)
  }

  get length(): number {
    return this.#queue.length
  }

  lengthOf(accountCode: string): number {
    return this.#queue.lengthOf(accountCode)
  }

  add(run: ClaimedRun, leasedUntil: number): void {
    this.#queue.add(run.accountCode, { run, claimedAt: performance.now(), leasedUntil })
  }

  /** Removes and returns the next run, of the accounts in turn that may begin one; undefined if there is none. */
  take(mayBegin: (accountCode: string) => boolean): ReadyRun | undefined {
    return this.#queue.serve([...this.#queue.owners()].find(mayBegin) ?? '')
  }

  /** Removes and returns the runs that have waited too long. Call it before `take`: this process may have hung. */
  takeLate(): ClaimedRun[] {
    if (this.lateAt > performance.now()) return []
    const isLate = ({ claimedAt }: ReadyRun) => performance.now() - claimedAt >= this.#maxMs
    const [late, others] = partition(this.#queue.clear(), isLate)
    // Sandboxes are rare now, however short the runs are.
    if (late.length > 0) this.#averageMs = Math.max(this.#averageMs, this.#maxMs)
    for (const ready of others) this.#queue.add(ready.run.accountCode, ready)
    return late.map(({ run }) => run)
  }

  /** The time at which the first run is late; infinite without one. Of `performance.now()`. */
  get lateAt(): number {
    const claimedAt = [...this.#queue.owners()].map(
      accountCode => this.#queue.first(accountCode)?.claimedAt ?? Number.POSITIVE_INFINITY,
    )
    return Math.min(...claimedAt) + this.#maxMs
  }

  /** Removes and returns all runs. */
  clear(): ClaimedRun[] {
    return this.#queue.clear().map(({ run }) => run)
  }

  /** How many runs to claim ahead for this number of sandboxes: few if runs have lately taken or waited long. */
  aheadOf(sandboxes: number): number {
    return Math.min(maxAhead, Math.floor((sandboxes * aheadMs) / this.#averageMs))
  }

  /** Notes the duration of a run. */
  count(durationMs: number): void {
    const isFirst = this.#averageMs === Number.POSITIVE_INFINITY
    this.#averageMs = isFirst ? durationMs : this.#averageMs + newestWeight * (durationMs - this.#averageMs)
  }
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter(item => !isFirst(item))]
}
