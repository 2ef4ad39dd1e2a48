import type { KillReason } from '../kill-causes.ts'
import { setPriorityOf } from './child-priority.ts'
import { processorMsOf } from './child-resources.ts'
import { everyTick } from './every-tick.ts'

const recoveryMs = 2_000
// Most sandboxes have recovered by then.
const firstCheckMs = 20
// V8 takes up to 200 ms to dispose of a full isolate. A script that is still running takes more.
const maxProcessorMs = 400
// Most recoveries take a few milliseconds.
const shortRecoveryMs = 50
const shortProcessorMs = 20
// A process that recovers gives memory back. A script that is still running takes more.
const maxMoreBytes = 64 * 2 ** 20

export interface RecoveryOptions {
  /** Called every 20 ms, once the recovery is that old, before the look at its time. It may stop this. */
  readonly onCheck: () => void
  /** Returns the resident memory of the sandbox in bytes; null if unknown. */
  readonly residentBytes: () => number | null
  /** Returns the account of the run that the sandbox has ended, or of the next one once that has been sent. */
  readonly account: () => string | null
  /** Called if the recovery is long. */
  readonly onLong: () => void
  /** Called with the reason if the sandbox takes too long, computes for too long or takes more memory. */
  readonly onFailure: (reason: KillReason) => void
}

/** The time of a sandbox from the end of a run until it is ready for the next one. */
export class Recovery {
  readonly #options: RecoveryOptions
  #unwatch: (() => void) | null = null
  #isLong = false
  #pid: number | undefined
  #yields = false

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#unwatch !== null
  }

  /**
   * True if it takes long. If the process computes, perhaps because its script goes on, it then yields the processor,
   * unless a run of another account waits for it.
   */
  get isLong(): boolean {
    return this.#isLong
  }

  start(pid: number | undefined): void {
    const { onCheck, residentBytes, account, onLong, onFailure } = this.#options
    this.#pid = pid
    const ownAccount = account()
    const startedAt = performance.now()
    let firstProcessorMs: number | null = null
    let firstBytes: number | null = null
    const unwatch = everyTick(now => {
      if (now - startedAt < firstCheckMs) return
      onCheck()
      if (this.#unwatch !== unwatch) return
      if (now - startedAt > recoveryMs) return onFailure('did not recover from its run in time')
      const processorMs = processorMsOf(pid) ?? 0
      firstProcessorMs ??= processorMs
      const computedMs = processorMs - firstProcessorMs
      if (computedMs > maxProcessorMs) return onFailure('did not leave its script')
      const bytes = residentBytes() ?? 0
      firstBytes ??= bytes
      if (bytes - firstBytes > maxMoreBytes) return onFailure('used too much memory')
      if (now - startedAt < shortRecoveryMs) return
      const mayYield = !this.#yields && computedMs >= shortProcessorMs && account() === ownAccount
      if (mayYield) this.#yields = setPriorityOf(pid, 'longRun')
      if (this.#isLong) return
      this.#isLong = true
      onLong()
    })
    this.#unwatch = unwatch
  }

  stop(): void {
    this.#unwatch?.()
    this.#unwatch = null
    this.#isLong = false
  }

  /** Stops. Returns false if the process cannot get its normal priority back, because that may need a privilege. */
  end(): boolean {
    this.stop()
    this.#yields = this.#yields && !setPriorityOf(this.#pid, 'normal')
    return !this.#yields
  }
}
