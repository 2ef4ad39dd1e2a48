// Requests are handled for this long before the event loop looks for new ones.
const msOfRound = 1
// A first read takes a tenth of a millisecond after its turn.
const maxReadsOfRound = 4
const maxSkippedMs = 4

/**
 * Turns for connections and requests without a known credential. Requests are handled first come, first served, which
 * is fair because each connection has one at a time. New connections are read last come, first served: in a flood of
 * connections, a new one does not wait for all earlier ones.
 */
export class ArrivalTurns {
  readonly #requests: (() => void)[] = []
  readonly #reads: (() => void)[] = []
  #isRound = false
  #roundEndsAt = 0
  #readsLeft = 0
  #hurries = false
  #servedAt = 0

  get areWaitedFor(): boolean {
    return this.#requests.length > 0
  }

  /** Calls `work` at once if nothing waits and the round has time left, otherwise in turn. */
  take(work: () => void): void {
    if (this.#requests.length > 0) return this.wait(work)
    if (!this.#isRound) this.#beginRound()
    if (this.#hasTime()) work()
    else this.wait(work)
  }

  /** Calls `work` in turn, after the event loop has looked for new requests. */
  wait(work: () => void): void {
    this.#requests.push(work)
    if (!this.#isRound) this.#beginRound()
  }

  /**
   * Calls `read` for a new connection, at once or in turn. The event loop accepts one connection in each round, so
   * more may wait: most rounds are skipped until none comes.
   */
  read(read: () => void): void {
    if (!this.#isRound) this.#beginRound()
    this.#hurries = true
    this.#roundEndsAt = 0
    if (this.#reads.length > 0 || this.#readsLeft === 0) {
      this.#reads.push(read)
      return
    }
    this.#readsLeft--
    read()
  }

  #beginRound(): void {
    this.#isRound = true
    this.#roundEndsAt = performance.now() + msOfRound
    this.#readsLeft = maxReadsOfRound
    setImmediate(this.#nextRound)
  }

  readonly #nextRound = (): void => {
    this.#isRound = false
    if (this.#requests.length === 0 && this.#reads.length === 0) return
    this.#beginRound()
    const now = performance.now()
    const skips = this.#hurries && now < this.#servedAt + maxSkippedMs
    this.#hurries = false
    if (skips) {
      this.#readsLeft = 0
      return
    }
    this.#servedAt = now
    for (; this.#readsLeft > 0 && this.#reads.length > 0; this.#readsLeft--) this.#reads.pop()?.()
    if (this.#requests.length === 0) return
    do this.#requests.shift()?.()
    while (this.#requests.length > 0 && this.#hasTime())
  }

  #hasTime(): boolean {
    return performance.now() < this.#roundEndsAt
  }
}
