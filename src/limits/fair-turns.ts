import { RostrumError } from '../errors.ts'
import { FairQueue } from './fair-queue.ts'

// As long as requests are worked on before the event loop looks for new ones: some thirty short ones, or one long one.
const msOfRound = 1
const mostInRound = 64
// Before a turn that may be long, the event loop looks this often for what others have sent: a request needs a look to
// be accepted, one to be read, and one for its body. A look that finds nothing takes some microseconds.
const longMs = 5
const looksBeforeLong = 4
// It accepts one connection a look. While connections come it goes on looking, for at most this long.
const maxLooksMs = 10

/**
 * Gives each request, and each call of a script, its turn before it is worked on: accounts in turn, within one first
 * come first served. While they come faster than they are answered, an account that floods waits behind its own flood
 * and not before another account's request. A turn that takes long counts as as many as the milliseconds it took: the
 * accounts share the time of the event loop, and not the number of turns.
 */
export class FairTurns {
  readonly #maxRequests: number
  readonly #readMs: () => number
  readonly #active = new Map<string, number>()
  readonly #waiting = new FairQueue<() => void>()
  /** From the first request that comes until a round finds nobody waiting. */
  #isBusy = false
  /** Turns of the round that the event loop still has to come to. */
  #turnsLeft = 0
  #isRound = false
  #roundEndsAt = 0
  /** What each account has used since there was last nobody who waited: one for each turn, more for a long one. */
  readonly #used = new Map<string, number>()
  /** The time that the last served account had used before its turn. A new account starts with the same. */
  #usedByLast = 0
  /** Accounts whose last turn was long. */
  readonly #slow = new Set<string>()
  /** Rounds in which accounts whose turns are long get none. */
  #looksLeft = 0
  #looksEndAt = 0
  #turn: { readonly accountCode: string; readonly beganAt: number } | null = null

  /** `maxRequests`: the maximum of one account that run or wait. */
  constructor(maxRequests: number, readMs = () => performance.now()) {
    this.#maxRequests = maxRequests
    this.#readMs = readMs
  }

  /**
   * Resolves when it is the turn of a request; `OVERLOADED` at once where its account has too many. Each taken is to be
   * ended.
   */
  async take(accountCode: string): Promise<void> {
    const active = this.#active.get(accountCode) ?? 0
    if (active >= this.#maxRequests) {
      throw overloaded(`${active} requests of this account are running or waiting already, the maximum`)
    }
    this.#active.set(accountCode, active + 1)
    const turn = this.#join(accountCode)
    if (turn !== null) await turn
  }

  /**
   * Resolves when it is the account's turn, for work that is counted elsewhere: the calls of a run are. Nothing ends
   * it.
   */
  async wait(accountCode: string): Promise<void> {
    const turn = this.#join(accountCode)
    if (turn !== null) await turn
  }

  // Null where the turn is at once.
  #join(accountCode: string): Promise<void> | null {
    const isFirst = !this.#isBusy
    this.#isBusy = true
    // One more than turns, so that the time of the last is known.
    if (isFirst) this.#addTurn()
    if (!this.#isRound && this.#turnsLeft <= mostInRound) this.#addTurn()
    if (isFirst) return null
    if (this.#waiting.lengthOf(accountCode) === 0) {
      this.#used.set(accountCode, Math.max(this.#used.get(accountCode) ?? 0, this.#usedByLast))
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(accountCode, resolve)
    return promise
  }

  /** The end of one that was taken. */
  end(accountCode: string): void {
    const left = (this.#active.get(accountCode) ?? 1) - 1
    if (left === 0) this.#active.delete(accountCode)
    else this.#active.set(accountCode, left)
  }

  /** A connection has come, so that more of them may wait to be accepted. */
  expectMore(): void {
    if (this.#looksLeft > 0 && this.#readMs() < this.#looksEndAt) this.#looksLeft = looksBeforeLong
  }

  #addTurn(): void {
    this.#turnsLeft++
    setImmediate(this.#giveTurn)
  }

  // Each in a call of its own, so that the one before has done what it can at once, and its time is known. What the
  // round has no time for is left to the next, behind a look for what has come from other accounts.
  readonly #giveTurn = (): void => {
    const now = this.#readMs()
    const isFirstOfRound = !this.#isRound
    if (isFirstOfRound) this.#roundEndsAt = now + msOfRound
    this.#isRound = true
    this.#turnsLeft--
    this.#endTurn(now)
    if (this.#turnsLeft === 0) this.#endRound()
    else if (now <= this.#roundEndsAt) this.#beginTurn(now, isFirstOfRound)
  }

  #beginTurn(now: number, isFirstOfRound: boolean): void {
    let next: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (const accountCode of this.#waiting.accounts()) {
      const used = this.#used.get(accountCode) ?? 0
      if (used >= least || (this.#looksLeft > 0 && this.#slow.has(accountCode))) continue
      next = accountCode
      least = used
    }
    if (next === undefined) return
    if (this.#slow.has(next) && !isFirstOfRound) {
      this.#lookAround(now)
      return
    }
    this.#usedByLast = least
    this.#turn = { accountCode: next, beganAt: now }
    this.#waiting.serve(next)?.()
  }

  #endTurn(now: number): void {
    if (this.#turn === null) return
    const { accountCode, beganAt } = this.#turn
    const ms = Math.round(now - beganAt)
    this.#used.set(accountCode, (this.#used.get(accountCode) ?? 0) + Math.max(1, ms))
    if (ms < longMs) this.#slow.delete(accountCode)
    else {
      this.#slow.add(accountCode)
      this.#lookAround(now)
    }
    this.#turn = null
  }

  #lookAround(now: number): void {
    this.#looksLeft = looksBeforeLong
    this.#looksEndAt = now + maxLooksMs
  }

  #endRound(): void {
    this.#isRound = false
    this.#isBusy = this.#waiting.length > 0
    if (!this.#isBusy) return this.#forget()
    if (this.#looksLeft > 0) this.#looksLeft--
    const turns = Math.min(this.#waiting.length, mostInRound)
    for (let turn = 0; turn <= turns; turn++) this.#addTurn()
  }

  #forget(): void {
    this.#used.clear()
    this.#slow.clear()
    this.#looksLeft = 0
    this.#usedByLast = 0
  }
}

function overloaded(message: string): RostrumError {
  return new RostrumError('OVERLOADED', `${message}. Try again in 1 s.`, { retryAfterSeconds: 1 })
}
