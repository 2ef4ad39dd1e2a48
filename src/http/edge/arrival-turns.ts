// Time for which requests are handled before the event loop looks for new ones.
const msOfRound = 1
// Maximum number of connections that are read for the first time in a round. Such a read includes the turn of its
// request and takes about 0.1 ms. After a long read (ten thousand chunks take 17 ms), the next round reads only one.
const maxReadsOfRound = 4
const longReadMs = 5
const maxSkippedMs = 4

/**
 * Turns for connections and for requests without a known credential. Requests are handled in order of arrival, which is
 * fair because each connection has one at a time. New connections are read in reverse order, so that in a flood of
 * connections a new one does not wait for all earlier ones.
 */
export class ArrivalTurns {
  readonly #requests: (() => void)[] = []
  readonly #reads: (() => void)[] = []
  #isRound = false
  #roundEndsAt = 0
  #roundBeganAt = 0
  #readsLeft = 0
  #hasRead = false
  #wasLong = false
  #hurries = false
  #skipsUntil = 0

  get areWaitedFor(): boolean {
    return this.#requests.length > 0
  }

  /** Calls `work` at once if nothing waits and the round has time left. Otherwise calls it in turn. */
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
   * Calls `read` for a new connection, at once or in turn. The event loop accepts one connection in each round, so more
   * may be waiting, and most rounds only accept until no more come.
   */
  read(read: () => void): void {
    if (!this.#isRound) this.#beginRound()
    this.#hurries = true
    this.#roundEndsAt = 0
    const mustWait = this.#reads.length > 0 || this.#readsLeft === 0 || this.#isAccepting()
    if (mustWait) this.#reads.push(read)
    else this.#read(read)
  }

  #read(read: () => void): void {
    this.#readsLeft--
    this.#hasRead = true
    read()
  }

  #beginRound(): void {
    this.#isRound = true
    this.#roundBeganAt = performance.now()
    this.#roundEndsAt = this.#roundBeganAt + msOfRound
    this.#readsLeft = this.#wasLong ? 1 : maxReadsOfRound
    setImmediate(this.#nextRound)
  }

  readonly #nextRound = (): void => {
    this.#isRound = false
    const now = performance.now()
    if (this.#hasRead) {
      this.#hasRead = false
      this.#wasLong = now - this.#roundBeganAt > longReadMs
      this.#skipsUntil = now + maxSkippedMs
    }
    if (this.#requests.length === 0 && this.#reads.length === 0) return
    this.#beginRound()
    const skips = this.#hurries && now < this.#skipsUntil
    this.#hurries = false
    if (skips) {
      this.#readsLeft = 0
      return
    }
    while (this.#readsLeft > 0 && this.#reads.length > 0) this.#read(this.#reads.pop() as () => void)
    if (this.#requests.length === 0) return
    do this.#requests.shift()?.()
    while (this.#requests.length > 0 && this.#hasTime())
  }

  #isAccepting(): boolean {
    return this.#wasLong && performance.now() < this.#skipsUntil
  }

  #hasTime(): boolean {
    return performance.now() < this.#roundEndsAt
  }
}
