// For so long requests are worked on before the event loop looks for what else has come.
const msOfRound = 1
const maxSkippedRounds = 4

/**
 * Turns for what comes without a known credential: first come first served. That is fair between connections, as each has one
 * request at a time.
 */
export class ArrivalTurns {
  readonly #waiting: (() => void)[] = []
  #isRound = false
  #roundEndsAt = 0
  #hurries = false
  #skipped = 0

  get areWaitedFor(): boolean {
    return this.#waiting.length > 0
  }

  /** Calls `work` at once where nothing waits and the round has time left, else in turn. */
  take(work: () => void): void {
    if (this.#waiting.length > 0) return this.wait(work)
    if (!this.#isRound) this.#beginRound()
    if (performance.now() < this.#roundEndsAt) work()
    else this.wait(work)
  }

  /** Calls `work` in turn, and never before the event loop has looked for what else has come. */
  wait(work: () => void): void {
    this.#waiting.push(work)
    if (!this.#isRound) this.#beginRound()
  }

  /**
   * A connection has come. The event loop takes one each time that it looks, so more may wait: most rounds are skipped until
   * none comes.
   */
  hurry(): void {
    this.#hurries = true
    this.#roundEndsAt = 0
  }

  #beginRound(): void {
    this.#isRound = true
    this.#roundEndsAt = performance.now() + msOfRound
    setImmediate(this.#nextRound)
  }

  readonly #nextRound = (): void => {
    this.#isRound = false
    if (this.#waiting.length === 0) return
    this.#beginRound()
    const skips = this.#hurries && ++this.#skipped < maxSkippedRounds
    this.#hurries = false
    if (skips) return
    this.#skipped = 0
    do this.#waiting.shift()?.()
    while (this.#waiting.length > 0 && performance.now() < this.#roundEndsAt)
  }
}
