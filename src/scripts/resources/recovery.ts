import type { KillReason } from '../kill-causes.ts'
import { processorMsOf } from './child-resources.ts'
import { everyTick } from './every-tick.ts'

const recoveryMs = 2_000
// Most sandboxes have recovered by then.
const firstCheckMs = 20
// V8 takes up to 200 ms to dispose of a full isolate. A script that is still running takes more.
const maxProcessorMs = 400
// Most recoveries take a few milliseconds.
const shortRecoveryMs = 50
// A process that recovers gives memory back. A script that is still running takes more.
const maxMoreBytes = 64 * 2 ** 20

export interface RecoveryOptions {
  /** Called every 20 ms, before the processor time is read. It may end the recovery. */
  readonly onCheck: () => void
  /** Returns the resident memory of the sandbox in bytes; null if unknown. */
  readonly residentBytes: () => number | null
  /** Called if the recovery is long. */
  readonly onLong: () => void
  /** Called with the reason if the sandbox takes too long, computes for too long or takes more memory. */
  readonly onFailure: (reason: KillReason) => void
}

/** The listener of one recovery. */
export interface RecoveryFollower {
  /** Called if the recovery takes long, before `RecoveryOptions.onLong`. */
  onLong(): void
  /** Called when the recovery ends: the sandbox has recovered or is gone. */
  onEnd(): void
}

/** The time of a sandbox from the end of a run until it is ready for the next one. */
export class Recovery {
  readonly #options: RecoveryOptions
  #unwatch: (() => void) | null = null
  #isLong = false
  #follower: RecoveryFollower | null = null

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#unwatch !== null
  }

  /** True if the recovery takes long. Its script may still be running. */
  get isLong(): boolean {
    return this.#isLong
  }

  /** Sets the listener of this recovery. The next recovery has none. */
  follow(follower: RecoveryFollower): void {
    this.#follower = follower
  }

  start(pid: number | undefined): void {
    const { onCheck, residentBytes, onLong, onFailure } = this.#options
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
      if (processorMs - firstProcessorMs > maxProcessorMs) return onFailure('did not leave its script')
      const bytes = residentBytes() ?? 0
      firstBytes ??= bytes
      if (bytes - firstBytes > maxMoreBytes) return onFailure('used too much memory')
      if (this.#isLong || now - startedAt < shortRecoveryMs) return
      this.#follower?.onLong()
      this.#isLong = true
      onLong()
    })
    this.#unwatch = unwatch
  }

  stop(): void {
    this.#unwatch?.()
    this.#unwatch = null
    this.#isLong = false
    const follower = this.#follower
    this.#follower = null
    follower?.onEnd()
  }
}
