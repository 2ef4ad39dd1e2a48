// Maximum work of one piece, in fields. A resolver counts as five fields. A full piece takes about 5 ms.
const maxWork = 5_000

const settled = Promise.resolve()

/**
 * Splits the execution of a large operation into pieces of a few milliseconds, so that other requests have turns in
 * between. Postponed work runs in later turns, in order.
 */
export class Pace {
  readonly #takeTurn: () => Promise<void>
  // Null until work is postponed. Only large operations do that.
  #postponed: (() => void)[] | null = null
  #atEnd: (() => void)[] | null = null
  #done = 0
  #isWaiting = false

  constructor(takeTurn: () => Promise<void>) {
    this.#takeTurn = takeTurn
  }

  count(work: number): void {
    this.#done += work
  }

  /** True if the current piece is full. Further work must then be postponed. */
  get isOver(): boolean {
    return this.#done >= maxWork
  }

  /** Runs `work` in a later turn. */
  postpone<T>(work: () => T | Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#postponed ??= []
    this.#postponed.push(() => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    })
    if (!this.#isWaiting) void this.#continue()
    return promise
  }

  /** Calls `callback` when no postponed work is left, so that one statement can load the rows of all pieces. */
  whenDrained(callback: () => void): void {
    void settled.then(() =>
      process.nextTick(() => {
        if (!this.#isWaiting) return callback()
        this.#atEnd ??= []
        this.#atEnd.push(callback)
      }),
    )
  }

  async #continue(): Promise<void> {
    this.#isWaiting = true
    const postponed = this.#postponed ?? []
    for (let next = 0; next < postponed.length; ) {
      await this.#takeTurn()
      this.#done = 0
      while (next < postponed.length && !this.isOver) postponed[next++]?.()
    }
    this.#isWaiting = false
    this.#postponed = null
    const callbacks = this.#atEnd ?? []
    this.#atEnd = null
    for (const callback of callbacks) this.whenDrained(callback)
  }
}
