import { availableParallelism } from 'node:os'

/**
 * The runs that have computed for long, in the order in which they came to it. So many as leave the gateway a processor keep
 * their priority, so that a lone one is not held up by whatever else a machine does; the others yield to everybody.
 */
export class ComputingRuns<Run> {
  readonly #runs = new Set<Run>()
  readonly #mostWithPriority: number

  constructor(processors = availableParallelism()) {
    this.#mostWithPriority = Math.max(1, processors - 1)
  }

  /** Notes that the run computes; true where it is to yield. */
  add(run: Run): boolean {
    this.#runs.add(run)
    return [...this.#runs].indexOf(run) >= this.#mostWithPriority
  }

  delete(run: Run): void {
    this.#runs.delete(run)
  }
}
