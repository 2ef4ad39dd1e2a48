import type { Place } from './places.ts'

/**
 * The work of one change on long data. Each step takes its own turn, so that requests of other accounts run in between.
 * An account can have one such change in memory at a time; its other changes wait.
 */
export class LongWork {
  readonly #place: Place
  readonly #nextTurn: () => Promise<void>
  #holdsPlace = false

  constructor(place: Place, nextTurn: () => Promise<void>) {
    this.#place = place
    this.#nextTurn = nextTurn
  }

  /** Resolves when the next step may begin. Call it for one step after the other. */
  async step(): Promise<void> {
    if (!this.#holdsPlace) {
      await new Promise<void>(begin => this.#place.take(begin))
      this.#holdsPlace = true
    }
    await this.#nextTurn()
  }

  /**
   * Lets another change of the account begin. Call it at the end, and before waiting for a script or another change,
   * which may itself need long work.
   */
  pause(): void {
    this.#holdsPlace = false
    this.#place.leave()
  }
}
