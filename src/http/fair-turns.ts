import { RostrumError } from '../errors.ts'
import { FairQueue } from '../fair-queue.ts'

// About what a request costs.
const msOfTurn = 1
const mostAtOnce = 64

interface InWork {
  readonly requests: number
  /** Of their bodies. */
  readonly bytes: number
}

const nothing: InWork = { requests: 0, bytes: 0 }

/**
 * Gives each request its turn before it is worked on: accounts in turn, within one first come first served. While requests
 * come faster than they are answered, who floods waits behind its own flood and not before another account's request.
 */
export class FairTurns {
  readonly #most: InWork
  readonly #inWork = new Map<string, InWork>()
  readonly #waiting = new FairQueue<() => void>()
  #isGiving = false
  #lastGivenAt = 0

  /** `most`: of one account in work or waiting. */
  constructor(most: InWork) {
    this.#most = most
  }

  /**
   * Resolves when it is the turn of a request with a body of so many bytes; `OVERLOADED` at once where its account has too much
   * in work. Each taken is to be ended.
   */
  async take(accountCode: string, bytes: number): Promise<void> {
    const inWork = this.#inWork.get(accountCode) ?? nothing
    if (inWork.requests >= this.#most.requests) {
      throw overloaded(
        `${inWork.requests} requests of this account are in work already, the most there may be`,
      )
    }
    if (inWork.bytes + bytes > this.#most.bytes) {
      throw overloaded(
        `Bodies of ${inWork.bytes} bytes of this account are in work already, about the most there may be`,
      )
    }
    this.#inWork.set(accountCode, { requests: inWork.requests + 1, bytes: inWork.bytes + bytes })
    if (this.#isGiving) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(accountCode, resolve)
      return promise
    }
    this.#isGiving = true
    this.#lastGivenAt = performance.now()
    setImmediate(() => this.#give())
  }

  /** The end of what was taken with the same arguments. */
  end(accountCode: string, bytes: number): void {
    const { requests, bytes: bytesInWork } = this.#inWork.get(accountCode) ?? nothing
    if (requests > 1) this.#inWork.set(accountCode, { requests: requests - 1, bytes: bytesInWork - bytes })
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

function overloaded(message: string): RostrumError {
  return new RostrumError('OVERLOADED', `${message}. Try again in 1 s.`, { retryAfterSeconds: 1 })
}
