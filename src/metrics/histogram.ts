/** Upper bounds of the buckets, in seconds. */
export const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Counts durations in buckets. A count costs some nanoseconds, so every request and statement is counted. */
export class Histogram {
  readonly #counts = new Float64Array(bounds.length + 1)
  #seconds = 0

  add(milliseconds: number): void {
    const seconds = milliseconds / 1_000
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#seconds += seconds
  }

  /** The number of durations up to each bound, then of all, and their sum in seconds. */
  read(): { readonly upTo: readonly number[]; readonly count: number; readonly seconds: number } {
    let count = 0
    const upTo = [...this.#counts].map(more => {
      count += more
      return count
    })
    return { upTo: upTo.slice(0, -1), count, seconds: this.#seconds }
  }
}
