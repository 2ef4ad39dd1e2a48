import { RostrumError } from '../errors.ts'
import { FairQueue } from '../fair-queue.ts'

// About what a request costs.
const msOfTurn = 1
const mostAtOnce = 64

/**
 * Gives each request its turn before it is worked on: accounts in turn, within one first come first served. While requests
 * come faster than they are answered, who floods waits behind its own flood and not before another account's request.
 */
export class FairTurns {
  readonly #mostOfAccount: number
  readonly #inWork = new Map<string, number>()
  readonly #waiting = new FairQueue<() => void>()
  #isGiving = false
  #lastGivenAt = 0

  /** `mostOfAccount`: most requests of one account in work or waiting. */
  constructor(mostOfAccount: number) {
    this.#mostOfAccount = mostOfAccount
  }

  /** Resolves when it is the request's turn; `OVERLOADED` at once where its account has too many. Each taken is to be ended. */
  async take(accountCode: string): Promise<void> {
    const inWork = this.#inWork.get(accountCode) ?? 0
    if (inWork >= this.#mostOfAccount) {
      throw new RostrumError(
        'OVERLOADED',
        `${inWork} requests of this account are in work already, the most there may be. Try again in 1 s.`,
        { retryAfterSeconds: 1 },
      )
    }
    this.#inWork.set(accountCode, inWork + 1)
    if (this.#isGiving) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(accountCode, resolve)
      return promise
    }
    this.#isGiving = true
    this.#lastGivenAt = performance.now()
    setImmediate(() => this.#give())
  }

  end(accountCode: string): void {
    const left = (this.#inWork.get(accountCode) ?? 1) - 1
    if (left > 0) this.#inWork.set(accountCode, left)
    else this.#inWork.delete(accountCode)
  }

  // One a millisecond: in each turn of the event loop so many as it took, so that between them it reads what has come from
  // other accounts, and a loop held up by other work holds up nobody's turn.
  #give(): void {
    const now = performance.now()
    const due = Math.min(mostAtOnce, Math.max(1, Math.round((now - this.#lastGivenAt) / msOfTurn)))
    this.#lastGivenAt = now
    for (let given = 0; given < due; given++) {
      const begin = this.#waiting.next()
      this.#isGiving = begin !== undefined
      if (begin === undefined) return
      begin()
    }
    setImmediate(() => this.#give())
  }
}
