import { overloaded, type RostrumError } from '../../errors.ts'
import { FairQueue } from '../../fairness/fair-queue.ts'
import { OwnerCounts } from '../../fairness/owner-counts.ts'

export interface RunQueueLimits {
  /** Maximum waiting runs of all accounts and of one, and the longest wait. */
  readonly runs: number
  readonly accountRuns: number
  readonly waitMs: number
}

export interface WaitingRun<Sandbox> {
  readonly nested: boolean
  readonly admit: (sandbox: Sandbox) => void
  readonly refuse: (error: RostrumError) => void
}

/**
 * The runs that wait for a sandbox. If the queue is full, a run of an account with fewer waiting runs evicts the last
 * run of the account with the most, so that no account is refused because of what others have queued.
 */
export class RunQueue<Sandbox> {
  readonly #limits: RunQueueLimits
  readonly #waiting = new FairQueue<WaitingRun<Sandbox>>()
  /** Reserved slots by account. */
  readonly #reserved = new OwnerCounts()

  constructor(limits: RunQueueLimits) {
    this.#limits = limits
  }

  get length(): number {
    return this.#waiting.length
  }

  lengthOf(accountCode: string): number {
    return this.#waiting.lengthOf(accountCode)
  }

  /** True if the next run of the account is nested. */
  isNested(accountCode: string): boolean {
    return this.#waiting.first(accountCode)?.nested ?? false
  }

  /** The number of waiting runs of each account. */
  lengths(): [accountCode: string, length: number][] {
    return this.#waiting.lengths()
  }

  /** The waiting accounts in the order of their turns. */
  accounts(): string[] {
    return [...this.#waiting.owners()]
  }

  /**
   * Throws `OVERLOADED` if the queue has no slot for one more run, besides `reserved` ones of its account. A negative
   * number leaves out runs that wait although a sandbox is idle.
   */
  refuseWhenFull(accountCode: string, reserved = 0): void {
    const { runs, accountRuns } = this.#limits
    const own = this.lengthOf(accountCode) + reserved
    if (own >= accountRuns) {
      throw this.#overloaded(`${accountRuns} runs of this account are waiting already, the maximum`)
    }
    if (this.length + reserved >= runs && this.#findEvictable(own) === null) {
      throw this.#overloaded(`${runs} runs are waiting already, the maximum`)
    }
  }

  /** Reserves a slot, unless one of `freeSandboxes` can take the run; see `Admission.reserveSlot`. */
  reserveSlot(accountCode: string, freeSandboxes: number): () => void {
    this.refuseWhenFull(accountCode, Math.max(0, this.#reserved.of(accountCode) - freeSandboxes))
    this.#reserved.add(accountCode, 1)
    let isReserved = true
    return () => {
      if (isReserved) this.#reserved.add(accountCode, -1)
      isReserved = false
    }
  }

  /** Adds a run, and evicts another one if the queue is full. */
  add(accountCode: string, run: WaitingRun<Sandbox>): void {
    const other = this.length < this.#limits.runs ? null : this.#findEvictable(this.lengthOf(accountCode))
    if (other !== null) {
      const message = `${this.#limits.runs} runs are waiting, most of them of this account; this one was evicted`
      this.#waiting.removeLast(other)?.refuse(this.#overloaded(message))
    }
    this.#waiting.add(accountCode, run)
  }

  remove(accountCode: string, run: WaitingRun<Sandbox>): void {
    this.#waiting.remove(accountCode, run)
  }

  /** Assigns a sandbox to the account's first run, and moves the account to the end of the rotation. */
  admit(accountCode: string, sandbox: Sandbox): void {
    this.#waiting.serve(accountCode)?.admit(sandbox)
  }

  /** Refuses all waiting runs. */
  clear(error: RostrumError): void {
    for (const run of this.#waiting.clear()) run.refuse(error)
  }

  // A difference of two or more, because with one, two accounts could evict each other in turn.
  #findEvictable(own: number): string | null {
    const [accountCode, length] = this.#waiting.longest() ?? ['', 0]
    return length > own + 1 ? accountCode : null
  }

  #overloaded(message: string): RostrumError {
    return overloaded(message, Math.ceil(this.#limits.waitMs / 1000))
  }
}
