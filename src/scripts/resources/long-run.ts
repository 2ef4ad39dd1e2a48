import { setPriorityOf } from './child-priority.ts'
import { processorMsOf } from './child-resources.ts'
import type { ComputingRuns } from './computing-runs.ts'
import { everyTick, tickMs } from './every-tick.ts'

// Most runs have ended by then.
const firstCheckMs = 20
// Maximum time of a short run. The sandbox of a short run will soon be free.
const shortRunMs = 50
const shortComputingMs = 50

export interface LongRunOptions {
  readonly pid: number | undefined
  readonly computing: ComputingRuns<LongRun>
  readonly run: { readonly waitsForCalls: boolean }
  /** True while the process recovers from its last run, which this run does not pay for. */
  readonly recovers: () => boolean
  readonly onLong: () => void
  /** Called every 20 ms, before the processor time of the run is read. It may end the run, and with it this watch. */
  readonly onCheck: () => void
}

/** Watches one run of a sandbox. Finds out whether the run is long, and whether it must yield the processor. */
export class LongRun {
  readonly #options: LongRunOptions
  readonly #startedAt = performance.now()
  readonly #unwatch: () => void
  // Processor time of the process at the first check; null before it.
  #firstProcessorMs: number | null = null
  #processorMs = 0
  #isLong = false
  #isStopped = false
  #yields = false

  constructor(options: LongRunOptions) {
    this.#options = options
    this.#unwatch = everyTick(now => this.#check(now - this.#startedAt))
  }

  get isLong(): boolean {
    return this.#isLong
  }

  /**
   * Processor time of the run in ms, without that of its first 20 ms. Where the system does not report it, the time in
   * which the run waited for no call.
   */
  get processorMs(): number {
    return this.#processorMs
  }

  stop(): void {
    this.#isStopped = true
    this.#unwatch()
    this.#options.computing.delete(this)
  }

  /**
   * Stops watching. Returns false if the process cannot get its normal priority back, because that may need a
   * privilege.
   */
  end(): boolean {
    this.stop()
    return !this.#yields || setPriorityOf(this.#options.pid, 'normal')
  }

  #check(ageMs: number): void {
    if (ageMs < firstCheckMs) return
    const { pid, computing, run, recovers, onLong, onCheck } = this.#options
    onCheck()
    if (this.#isStopped) return
    const processorMs = processorMsOf(pid)
    if (recovers()) this.#firstProcessorMs = processorMs
    this.#firstProcessorMs ??= processorMs
    if (processorMs === null) this.#processorMs += run.waitsForCalls || recovers() ? 0 : tickMs
    else this.#processorMs = processorMs - (this.#firstProcessorMs ?? 0)
    const mayYield = !this.#yields && this.#processorMs > shortComputingMs
    if (mayYield && computing.add(this)) this.#yields = setPriorityOf(pid, 'longRun')
    if (!this.#isLong && ageMs >= shortRunMs) {
      this.#isLong = true
      onLong()
    }
  }
}
