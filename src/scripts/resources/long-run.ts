import { setPriorityOf } from '../resources/child-priority.ts'
import { processorMsOf } from '../resources/child-resources.ts'
import type { ComputingRuns } from '../resources/computing-runs.ts'

// Maximum time of a short run. The sandbox of a short run will soon be free.
const shortRunMs = 50
const shortComputingMs = 50

export interface LongRunOptions {
  readonly pid: number | undefined
  readonly computing: ComputingRuns<LongRun>
  readonly onLong: () => void
}

/** Watches one run of a sandbox. Finds out whether the run is long, and whether it must yield the processor. */
export class LongRun {
  readonly #pid: number | undefined
  readonly #computing: ComputingRuns<LongRun>
  readonly #clock: NodeJS.Timeout
  // Processor time at the first check, some time after the start, because most runs have ended by then; null before it.
  #firstProcessorMs: number | null = null
  #isLong = false
  #yields = false

  constructor({ pid, computing, onLong }: LongRunOptions) {
    this.#pid = pid
    this.#computing = computing
    this.#clock = setTimeout(() => {
      this.#isLong = true
      onLong()
    }, shortRunMs)
  }

  get isLong(): boolean {
    return this.#isLong
  }

  /** Lowers the priority of the process if the run computes for long. Call it regularly. */
  yieldWhenLong(): void {
    if (this.#yields) return
    const processorMs = processorMsOf(this.#pid)
    this.#firstProcessorMs ??= processorMs
    if (processorMs - this.#firstProcessorMs <= shortComputingMs) return
    if (this.#computing.add(this)) this.#yields = setPriorityOf(this.#pid, 'longRun')
  }

  stop(): void {
    clearTimeout(this.#clock)
    this.#computing.delete(this)
  }

  /**
   * Stops watching. Returns false if the process cannot get its normal priority back, because that may need a
   * privilege.
   */
  end(): boolean {
    this.stop()
    return !this.#yields || setPriorityOf(this.#pid, 'normal')
  }
}
