import { setPriorityOf } from '../launch/child-priority.ts'
import { processorMsOf } from '../launch/child-resources.ts'
import type { ComputingRuns } from './computing-runs.ts'

// A run that lasts longer no longer counts as one whose sandbox is soon free again.
const shortRunMs = 50
const shortComputingMs = 50

export interface LongRunOptions {
  readonly pid: number | undefined
  readonly computing: ComputingRuns<LongRun>
  readonly onLong: () => void
}

/** What a sandbox's run costs its neighbours once it is no longer short, from its begin to its end. */
export class LongRun {
  readonly #pid: number | undefined
  readonly #computing: ComputingRuns<LongRun>
  readonly #clock: NodeJS.Timeout
  // Read for the first time when a run has gone on for a little: most are over by then.
  #processorMsAtFirst: number | null = null
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

  /** Puts one of several that have computed for long behind all others that want the processor. To be called now and then. */
  yieldWhenLong(): void {
    if (this.#yields) return
    const processorMs = processorMsOf(this.#pid)
    this.#processorMsAtFirst ??= processorMs
    if (processorMs - this.#processorMsAtFirst <= shortComputingMs) return
    if (this.#computing.add(this)) this.#yields = setPriorityOf(this.#pid, 'longRun')
  }

  stop(): void {
    clearTimeout(this.#clock)
    this.#computing.delete(this)
  }

  /** Stops, and is false where the process cannot be given its usual priority back: that may need a right that the gateway has not. */
  end(): boolean {
    this.stop()
    return !this.#yields || setPriorityOf(this.#pid, 'usual')
  }
}
