import { dropOldest } from '../../fairness/drop-oldest.ts'
import type { HeldSandboxes } from './held-sandboxes.ts'
import type { QueuedShare } from './queued-share.ts'
import type { RunQueue } from './run-queue.ts'
import type { SandboxPool } from './sandbox-pool.ts'

// Maximum number of accounts that are remembered because a run of theirs destroyed its sandbox.
const maxDestroyers = 1_000
// How long an account is remembered at least, whatever its next runs do.
const destroyerMs = 1_000

interface Parts {
  readonly pool: Pick<SandboxPool, 'idle' | 'rested' | 'isShort' | 'isRenewing' | 'canGrow' | 'computing'>
  /** Maximum sandboxes that compute at once for accounts that hold one (rule 9). */
  readonly maxComputing: number
  readonly held: HeldSandboxes
  readonly queued: QueuedShare
  readonly queue: Pick<RunQueue<unknown>, 'length' | 'lengthOf' | 'lengths' | 'accounts' | 'isNested'>
  readonly readMs: () => number
}

/**
 * Says which run may take an idle sandbox. It changes nothing but what it remembers of ended runs.
 *
 * 1. The account that holds the fewest sandboxes comes first; of accounts with equally many, the one that has lately
 *    held them for the least time. Runs of one account go in order of arrival.
 * 2. An account holds at most five eighths of the sandboxes, rounded down, and at least one. A run inside a run may go
 *    past that, so that a chain of four fits where there are fewer than seven sandboxes. A sandbox that recovers for
 *    long counts toward the account of its run.
 * 3. With four sandboxes or more, the last free one goes only to an account without a run.
 * 4. An account that destroyed a sandbox, during a run or after it, leaves the last rested one to others while it
 *    holds a sandbox, while one boots, or while one recovers from its run. A run inside a run cannot wait, and leaves
 *    only the last idle one while another boots. Others do not take a sandbox that recovers from a run of that account.
 *    The account has its mark for at least a second, and until a run of it ends well.
 * 5. If all sandboxes are held, a run that has waited long for other hosts, of the account that holds the most, is
 *    preempted.
 * 6. Queued runs take idle sandboxes while no other run waits.
 * 7. While others wait, one queued run a second gets a sandbox, and each account leaves the last one of its share to
 *    it. A run inside a run cannot wait, and takes even that one.
 * 8. Queued runs hold at most half of the sandboxes. An account with queued runs leaves the last one of that half to
 *    an account that has none there.
 * 9. An account that holds a sandbox gets another one only while fewer compute than there are processors. More would
 *    only take turns on the processors, which costs each of them its caches. A run that waits for a call or has
 *    computed for long does not count, nor does a sandbox that recovers from one.
 */
export class AdmissionPolicy {
  readonly #parts: Parts
  // Accounts that destroyed a sandbox, and when they last did.
  readonly #destroyers = new Map<string, number>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The accounts of waiting runs, the next one first (rule 1). */
  byTurn(): string[] {
    const { held, queue } = this.#parts
    return held.byTurn(queue.accounts())
  }

  /** True if the account's share and its last runs allow one more sandbox (rules 2 to 4). */
  mayTake(accountCode: string, nested: boolean): boolean {
    const { held, pool } = this.#parts
    if (held.freeFor(accountCode, nested) === 0) return false
    if (pool.rested > 1 || !this.#destroyers.has(accountCode)) return true
    return nested ? !pool.isShort : !pool.isRenewing(accountCode) && held.by(accountCode) === 0
  }

  /** True if the account has its mark (rule 4). */
  isDestroyer(accountCode: string): boolean {
    return this.#destroyers.has(accountCode)
  }

  /** True if one more sandbox may compute for the account (rule 9). A run inside a run cannot wait. */
  mayCompute(accountCode: string, nested: boolean): boolean {
    const { held, queued } = this.#parts
    return nested || held.by(accountCode) === 0 || this.hasProcessor || queued.isDue
  }

  /** True if a processor is left for one more sandbox. */
  get hasProcessor(): boolean {
    return this.#processors > 0
  }

  get #processors(): number {
    return this.#parts.maxComputing - this.#parts.pool.computing
  }

  /** How many runs of the account wait only for others to compute no longer (rule 9). */
  heldBack(accountCode: string): number {
    return Math.min(this.#parts.held.freeFor(accountCode), this.#parts.pool.idle)
  }

  /** True if a run that arrives goes before all that wait, in which case it takes an idle sandbox (rules 1 and 7). */
  mayGoAtOnce(accountCode: string): boolean {
    return this.#parts.queue.lengthOf(accountCode) === 0 && !this.isLeft(accountCode)
  }

  // True if the last idle sandbox is left to a queued run (rule 7).
  get #isLastLeft(): boolean {
    const { queued, pool } = this.#parts
    return queued.isDue && pool.idle === 1
  }

  /**
   * True if the last idle sandbox, or the last one of the account's share, is left to a queued run (rule 7). The queue
   * does not say whose run is due: it may be one of the account that floods.
   */
  isLeft(accountCode: string): boolean {
    const { queued, held } = this.#parts
    return this.#isLastLeft || (queued.isDue && held.freeFor(accountCode) === 1)
  }

  /** The accounts whose runs are preempted for the next run, the first choice first (rule 5). */
  accountsToPreempt(): string[] {
    const { held } = this.#parts
    const [first = ''] = this.byTurn()
    return held.areAllHeld ? held.accountsAbove(held.by(first)) : []
  }

  /** How many queued runs could begin now, of all accounts (rules 6 to 9). */
  freeForQueued(): number {
    const { queued, pool, queue } = this.#parts
    const free = Math.min(queued.free, pool.idle)
    if (queue.length === 0 && this.hasProcessor) return Math.min(free, this.#processors)
    return queued.isDue ? Math.min(free, 1) : 0
  }

  /** How many queued runs the shares of the account allow (rules 2 to 4 and 8). */
  queuedShareOf(accountCode: string): number {
    const { queued, held } = this.#parts
    if (!this.mayTake(accountCode, false)) return 0
    return Math.min(queued.freeFor(accountCode), held.freeFor(accountCode))
  }

  /** The accounts with a sandbox or a mark whose queued runs cannot begin now. */
  accountsWithoutQueued(): string[] {
    const mayHaveNone = new Set([...this.#parts.held.accounts(), ...this.#destroyers.keys()])
    return [...mayHaveNone].filter(accountCode => this.queuedShareOf(accountCode) === 0)
  }

  /** How many sandboxes the waiting runs could take now. */
  demand(): number {
    const { held, queue } = this.#parts
    const freeForNext = (accountCode: string) => held.freeFor(accountCode, queue.isNested(accountCode))
    return queue
      .lengths()
      .reduce((demand, [accountCode, length]) => demand + Math.min(length, freeForNext(accountCode)), 0)
  }

  /** True if a new sandbox can start for the account on top of those that waiting runs will take. */
  canGrowFor(accountCode: string, nested: boolean): boolean {
    const { held, queue, pool } = this.#parts
    const hasShare = held.freeFor(accountCode, nested) > queue.lengthOf(accountCode)
    return hasShare && pool.canGrow(this.demand() + 1)
  }

  /**
   * Call it when the sandbox has recovered from a run of the account, or is lost. `isClean` is false if the run
   * destroyed it.
   */
  noteEnd(accountCode: string, isClean: boolean): void {
    const now = this.#parts.readMs()
    const destroyedAt = this.#destroyers.get(accountCode)
    if (isClean && destroyedAt !== undefined && now - destroyedAt < destroyerMs) return
    this.#destroyers.delete(accountCode)
    if (isClean) return
    this.#destroyers.set(accountCode, now)
    dropOldest(this.#destroyers, maxDestroyers)
  }
}
