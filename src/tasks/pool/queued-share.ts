// Requests come first, and yet a flood of them delays the queue no longer than this for each run.
const maxWaitMs = 1_000
// Longer than the queue lets pass before it looks again whether runs are due.
const wantedMs = 6_000
// A queued run is claimed from the store before it takes the sandbox that is left to it.
const maxLeftMs = 250

/** The sandboxes that queued runs hold: at most half of them (contract, section 8). */
export class QueuedShare {
  readonly #max: number
  readonly #readMs: () => number
  #held = 0
  #wantedSince = 0
  #wantedUntil = 0
  #left: NodeJS.Timeout | null = null
  #onFree: () => void = () => undefined

  constructor(sandboxes: number, readMs: () => number) {
    this.#max = Math.max(1, Math.floor(sandboxes / 2))
    this.#readMs = readMs
  }

  get free(): number {
    return this.#max - this.#held
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

  /** Leaves a sandbox to a queued run for a moment. Then `onUnused` is called unless one took it. */
  leave(onUnused: () => void): void {
    this.#left ??= setTimeout(() => {
      this.#forgetWant()
      onUnused()
    }, maxLeftMs).unref()
  }

  /** Sets the listener that is called when a queued run may find a sandbox. */
  onFree(listener: () => void): void {
    this.#onFree = listener
  }

  announceFree(): void {
    this.#onFree()
  }

  /** Gives a function that ends it. */
  take(): () => void {
    this.#forgetWant()
    this.#held++
    return () => {
      this.#held--
    }
  }

  #forgetWant(): void {
    if (this.#left !== null) clearTimeout(this.#left)
    this.#left = null
    this.#wantedUntil = 0
  }
}
