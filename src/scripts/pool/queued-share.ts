import { OwnerCounts } from '../../fairness/owner-counts.ts'
import { leaveOne } from './held-sandboxes.ts'

// Maximum delay of a queued run by requests, which otherwise come first.
const maxWaitMs = 1_000
// Must be longer than the queue's polling interval (5 s).
const wantedMs = 6_000
// A queued run is claimed from the store, and its script read, before it takes the sandbox that is left to it.
const maxLeftMs = 1_000

/**
 * The sandboxes that queued runs hold: at most half of them (contract, section 8), of which an account that holds some
 * leaves the last to an account that holds none.
 */
export class QueuedShare {
  readonly #max: number
  readonly #readMs: () => number
  readonly #held = new OwnerCounts()
  #wantedSince = 0
  #wantedUntil = 0
  #left: NodeJS.Timeout | null = null

  constructor(sandboxes: number, readMs: () => number) {
    this.#max = Math.max(1, Math.floor(sandboxes / 2))
    this.#readMs = readMs
  }

  get free(): number {
    return this.#max - this.#held.total
  }

  /** How many more the account may hold now. */
  freeFor(accountCode: string): number {
    return leaveOne(this.free, this.#held.of(accountCode))
  }

  /** True if queued runs have wanted a sandbox for a second, and none got one meanwhile. */
  get isDue(): boolean {
    const now = this.#readMs()
    return this.free > 0 && now < this.#wantedUntil && now - this.#wantedSince >= maxWaitMs
  }

  /** Call it again as long as a queued run wants a sandbox. */
  want(): void {
    const now = this.#readMs()
    if (now >= this.#wantedUntil) this.#wantedSince = now
    this.#wantedUntil = now + wantedMs
  }

  /** Leaves no sandbox to a queued run until one is wanted again. */
  forgetWant(): void {
    if (this.#left !== null) clearTimeout(this.#left)
    this.#left = null
    this.#wantedUntil = 0
  }

  /** Leaves a sandbox to a queued run for a moment. Then `onUnused` is called unless one took it. */
  leave(onUnused: () => void): void {
    this.#left ??= setTimeout(() => {
      this.forgetWant()
      onUnused()
    }, maxLeftMs).unref()
  }

  /** Counts a queued run that gets a sandbox. Call the function it returns when the run has ended. */
  take(accountCode: string): () => void {
    this.forgetWant()
    this.#held.add(accountCode, 1)
    return () => this.#held.add(accountCode, -1)
  }
}
