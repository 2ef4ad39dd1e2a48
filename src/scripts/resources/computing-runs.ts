import { availableParallelism } from 'node:os'

/**
 * The runs that have computed for long, oldest first. The oldest keep their priority, one for each processor but one.
 * The others yield, so that the gateway has a processor.
 */
export class ComputingRuns<Run> {
  readonly #runs = new Set<Run>()
  readonly #maxWithPriority: number

  constructor(processors = availableParallelism()) {
    this.#maxWithPriority = Math.max(1, processors - 1)
  }

  /** Adds a run that computes. Returns true if the run must yield. */
  add(run: Run): boolean {
    this.#runs.add(run)
    return [...this.#runs].indexOf(run) >= this.#maxWithPriority
  }

  delete(run: Run): void {
    this.#runs.delete(run)
  }
}
