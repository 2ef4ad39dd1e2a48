import { RostrumError } from '../../errors.ts'
import { FairQueue } from '../../limits/fair-queue.ts'

export interface RunQueueLimits {
  /** Runs that may wait, of all accounts and of one, and how long each. */
  readonly runs: number
  readonly accountRuns: number
  readonly waitMs: number
}

export interface WaitingRun<Place> {
  readonly admit: (place: Place) => void
  readonly refuse: (error: RostrumError) => void
}

/**
 * The runs that wait for a sandbox. Where all places are taken, the last run of the account that has the most waiting gives way
 * to a run of an account that has fewer: nobody is refused for what others have queued.
 */
export class RunQueue<Place> {
  readonly #limits: RunQueueLimits
  readonly #waiting = new FairQueue<WaitingRun<Place>>()
  /** Runs on their way, by account. */
  readonly #expected = new Map<string, number>()

  constructor(limits: RunQueueLimits) {
    this.#limits = limits
  }

  get length(): number {
    return this.#waiting.length
  }

  lengthOf(accountCode: string): number {
    return this.#waiting.lengthOf(accountCode)
  }

  /** How many wait of each account. */
  lengths(): [accountCode: string, length: number][] {
    return this.#waiting.lengths()
  }

  /** The accounts that wait, in turn. */
  accounts(): string[] {
    return [...this.#waiting.accounts()]
  }

  /** `OVERLOADED` where one more has no place; `expected` of its account are on their way and will wait as well. */
  refuseWhenFull(accountCode: string, expected = 0): void {
    const { runs, accountRuns } = this.#limits
    const own = this.lengthOf(accountCode) + expected
    if (own >= accountRuns) {
      throw this.#overloaded(`${accountRuns} runs of this account are waiting already, the most there may be`)
    }
    if (this.length + expected >= runs && this.#whoGivesWay(own) === null) {
      throw this.#overloaded(`${runs} runs are waiting already, the most there may be`)
    }
  }

  /** Keeps a place for a run on its way, unless one of so many free sandboxes will be its; see `Admission.holdPlace`. */
  holdPlace(accountCode: string, freeSandboxes: number): () => void {
    const expected = this.#expected.get(accountCode) ?? 0
    this.refuseWhenFull(accountCode, Math.max(0, expected - freeSandboxes))
    this.#expected.set(accountCode, expected + 1)
    let held = true
    return () => {
      const left = (this.#expected.get(accountCode) ?? 0) - (held ? 1 : 0)
      held = false
      if (left > 0) this.#expected.set(accountCode, left)
      else this.#expected.delete(accountCode)
    }
  }

  /** Adds a run for which there is room, or makes room. */
  add(accountCode: string, run: WaitingRun<Place>): void {
    const other = this.length < this.#limits.runs ? null : this.#whoGivesWay(this.lengthOf(accountCode))
    if (other !== null) {
      const message = `${this.#limits.runs} runs are waiting, of which this account has the most; this one gave way`
      this.#waiting.removeLast(other)?.refuse(this.#overloaded(message))
    }
    this.#waiting.add(accountCode, run)
  }

  remove(accountCode: string, run: WaitingRun<Place>): void {
    this.#waiting.remove(accountCode, run)
  }

  /** Gives the account's first its place, and puts the account at the end of the turn. */
  admit(accountCode: string, place: Place): void {
    this.#waiting.serve(accountCode)?.admit(place)
  }

  /** Refuses all. */
  clear(error: RostrumError): void {
    for (const run of this.#waiting.clear()) run.refuse(error)
  }

  // With one more each way they would still not be equal: else two accounts could put each other out by turns.
  #whoGivesWay(own: number): string | null {
    const [accountCode, length] = this.#waiting.longest() ?? ['', 0]
    return length > own + 1 ? accountCode : null
  }

  #overloaded(message: string): RostrumError {
    return overloaded(message, Math.ceil(this.#limits.waitMs / 1000))
  }
}

/** A refusal that says when to come again, in a second at the earliest. */
export function overloaded(message: string, seconds: number): RostrumError {
  const retryAfterSeconds = Math.max(1, seconds)
  return new RostrumError('OVERLOADED', `${message}. Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  })
}
