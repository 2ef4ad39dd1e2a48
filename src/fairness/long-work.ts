import type { Place } from './places.ts'

/**
 * The work of one change over long data. Each step has a turn of its own, so that the requests of other accounts come
 * between two. One change of an account at a time has its values in memory: others wait for its place.
 */
export class LongWork {
  readonly #place: Place
  readonly #nextTurn: () => Promise<void>
  #holdsPlace = false

  constructor(place: Place, nextTurn: () => Promise<void>) {
    this.#place = place
    this.#nextTurn = nextTurn
  }

  /** Resolves when the next step may begin. Steps follow one another. */
  async step(): Promise<void> {
    if (!this.#holdsPlace) {
      await new Promise<void>(begin => this.#place.take(begin))
      this.#holdsPlace = true
    }
    await this.#nextTurn()
  }

  /** Frees the place: at the end, and before a wait for a script or another change, which may need it. */
  pause(): void {
    this.#holdsPlace = false
    this.#place.leave()
  }
}
