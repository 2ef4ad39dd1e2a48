import { overloaded } from '../errors.ts'
import { dropOldest } from './drop-oldest.ts'
import { FairQueue } from './fair-queue.ts'
import { OwnerCounts } from './owner-counts.ts'
import type { ShareOwner } from './share-owner.ts'

// Maximum time of a round of turns before the event loop polls for new requests: thirty short turns, or one long one.
const msOfRound = 1
const maxInRound = 64
// Turns of this length are long. Before a long turn, the event loop polls several times for new requests: a request
// needs one poll to be accepted, one to be read, and one for its body. A poll that finds nothing takes microseconds.
const longMs = 2
const looksBeforeLong = 4
// Maximum time of polling before a long turn. Each poll accepts one connection, and polling goes on while they arrive.
const maxLooksMs = 10
// Maximum number of accounts whose use is remembered. The one that came first is dropped first, and then counts as new.
const maxAccounts = 10_000

/**
 * Makes each request and each call of a script wait for its turn. Accounts alternate; requests of one account go in
 * order of arrival, so that a flooding account delays only itself. A long turn counts once for each millisecond:
 * accounts share the time of the event loop, not the number of turns.
 */
export class FairTurns {
  readonly #maxRequests: number
  readonly #readMs: () => number
  readonly #active = new OwnerCounts<ShareOwner>()
  readonly #waiting = new FairQueue<() => void, ShareOwner>()
  /** True from the first request until a round ends with nothing waiting. */
  #isBusy = false
  /** Number of scheduled turns of this round that have not run yet. */
  #turnsLeft = 0
  #isRound = false
  #roundEndsAt = 0
  /**
   * How much each account has used since the queue was last empty: 1 for a short turn, its milliseconds for a long one.
   */
  readonly #used = new Map<ShareOwner, number>()
  /** What the last served account had used before its turn. A new account starts with the same. */
  #usedByLast = 0
  /** Accounts whose last turn was long. */
  readonly #slow = new Set<ShareOwner>()
  /** Number of remaining rounds in which accounts with long turns get no turn. */
  #looksLeft = 0
  #looksEndAt = 0
  #turn: { readonly owner: ShareOwner; readonly beganAt: number } | null = null

  /** `maxRequests` is the maximum number of requests of one account that run or wait. */
  constructor(maxRequests: number, readMs = () => performance.now()) {
    this.#maxRequests = maxRequests
    this.#readMs = readMs
  }

  /**
   * Resolves when the request has its turn. Throws `OVERLOADED` if its account has too many requests. Call `end` when
   * the request is done.
   */
  async take(owner: ShareOwner): Promise<void> {
    const active = this.#active.of(owner)
    if (active >= this.#maxRequests) {
      throw overloaded(`${active} requests of this account are running or waiting already, the maximum`, 1)
    }
    this.#active.add(owner, 1)
    const turn = this.#join(owner)
    if (turn !== null) await turn
  }

  /** Resolves when the account has its turn. For work that is limited elsewhere, such as the calls of a run. */
  async wait(owner: ShareOwner): Promise<void> {
    const turn = this.#join(owner)
    if (turn !== null) await turn
  }

  // Returns null if the turn is immediate.
  #join(owner: ShareOwner): Promise<void> | null {
    const isFirst = !this.#isBusy
    this.#isBusy = true
    // One more callback than there are turns, to measure the time of the last turn.
    if (isFirst) this.#addTurn()
    if (!this.#isRound && this.#turnsLeft <= maxInRound) this.#addTurn()
    if (isFirst) return null
    if (this.#waiting.lengthOf(owner) === 0) {
      this.#setUsed(owner, Math.max(this.#usedBy(owner), this.#usedByLast))
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(owner, resolve)
    return promise
  }

  /** Ends the turn of a request. */
  end(owner: ShareOwner): void {
    this.#active.add(owner, -1)
  }

  /** Notes a new connection. More connections may be waiting, so polling continues. */
  expectMore(): void {
    if (this.#looksLeft > 0 && this.#readMs() < this.#looksEndAt) this.#looksLeft = looksBeforeLong
  }

  #addTurn(): void {
    this.#turnsLeft++
    setImmediate(this.#giveTurn)
  }

  // Each turn is a separate callback, so that the synchronous part of the previous turn is over and can be measured.
  // Turns that do not fit in the round's time wait for the next round, after a poll for requests of other accounts.
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
    let next: ShareOwner | undefined
    let least = Number.POSITIVE_INFINITY
    for (const owner of this.#waiting.owners()) {
      const used = this.#usedBy(owner)
      if (used >= least || (this.#looksLeft > 0 && this.#slow.has(owner))) continue
      next = owner
      least = used
    }
    if (next === undefined) return
    if (this.#slow.has(next) && !isFirstOfRound) {
      this.#lookAround(now)
      return
    }
    this.#usedByLast = least
    this.#turn = { owner: next, beganAt: now }
    this.#waiting.serve(next)?.()
  }

  #endTurn(now: number): void {
    if (this.#turn === null) return
    const { owner, beganAt } = this.#turn
    const ms = Math.round(now - beganAt)
    this.#setUsed(owner, this.#usedBy(owner) + Math.max(1, ms))
    this.#slow.delete(owner)
    if (ms >= longMs) {
      this.#slow.add(owner)
      dropOldest(this.#slow, maxAccounts)
      this.#lookAround(now)
    }
    this.#turn = null
  }

  #usedBy(owner: ShareOwner): number {
    return this.#used.get(owner) ?? this.#usedByLast
  }

  #setUsed(owner: ShareOwner, used: number): void {
    this.#used.set(owner, used)
    dropOldest(this.#used, maxAccounts)
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
    const turns = Math.min(this.#waiting.length, maxInRound)
    for (let turn = 0; turn <= turns; turn++) this.#addTurn()
  }

  #forget(): void {
    this.#used.clear()
    this.#slow.clear()
    this.#looksLeft = 0
    this.#usedByLast = 0
  }
}
