// After this time, an answer whose client reads slowly or not at all can lose its place to another one.
const safeMs = 1_000

/** The answers without a credential that are being sent, oldest first. They count to no account, so this is a bound. */
export class PagePlaces {
  readonly #sending = new Set<{ readonly since: number; readonly cut: () => void }>()
  readonly max: number

  constructor(max: number) {
    this.max = max
  }

  /**
   * Takes a place and returns the function that releases it. If all are taken, cuts the oldest answer whose time is up,
   * or returns null.
   */
  take(cut: () => void): (() => void) | null {
    if (this.#sending.size >= this.max && !this.#cutOldest()) return null
    const place = { since: performance.now(), cut }
    this.#sending.add(place)
    return () => this.#sending.delete(place)
  }

  #cutOldest(): boolean {
    const [oldest] = this.#sending
    if (oldest === undefined || performance.now() - oldest.since < safeMs) return false
    this.#sending.delete(oldest)
    oldest.cut()
    return true
  }
}
