import type { Logger } from 'pino'
import { causeOf } from '../kill-causes.ts'
import { HeldLines } from '../launch/held-lines.ts'
import { Reaper } from '../launch/reaper.ts'
import type { SandboxCommand } from '../launch/sandbox-command.ts'
import { SandboxProcess } from '../launch/sandbox-process.ts'
import { ComputingRuns } from '../resources/computing-runs.ts'
import type { LongRun } from '../resources/long-run.ts'

// Runs after which a sandbox is replaced. A boot costs as much as fifty runs. A sandbox grows by some 3 MB in 1,000
// clean runs; one that holds too much is replaced sooner.
const defaultMaxRuns = 10_000
// Pipes for held lines beyond one for each sandbox, because a dying sandbox has its own until it is gone.
const spareHeldLines = 4
const maxIdleBytes = 150 * 2 ** 20
const defaultShrinkMs = 30_000
// Together with a boot, which takes as long on an idle machine, one second: half of what a run waits.
const maxBootPauseMs = 500

export interface SandboxPoolOptions {
  readonly command: SandboxCommand
  readonly maxFrameBytes: number
  readonly maxUnreadBytes: number
  /** The number kept ready at all times, and the maximum. */
  readonly warm: number
  readonly max: number
  /** Runs after which a sandbox is replaced; 10,000 by default. */
  readonly maxRuns?: number | undefined
  /** Time after which idle sandboxes beyond `warm` are stopped; 30 s by default. */
  readonly shrinkMs?: number | undefined
  readonly log: Logger
  /** Called with the cause when a sandbox is gone that another one replaces. */
  readonly onReplaced?: ((cause: string) => void) | undefined
}

/**
 * The sandbox processes: keeps `warm` of them ready, starts more on demand up to `max`, and replaces those that are
 * worn out, crashed or killed. `Admission` decides which run gets an idle one.
 */
export class SandboxPool {
  readonly #options: SandboxPoolOptions
  readonly #maxRuns: number
  // Idle ones in the order in which they became idle.
  readonly #sandboxes = new Set<SandboxProcess>()
  #onIdle: () => void = () => undefined
  readonly #computing = new ComputingRuns<LongRun>()
  readonly #heldLines: HeldLines
  readonly #reaper: Reaper | null
  #failedBoots = 0
  #pausesBoots = false
  #shrink: NodeJS.Timeout | null = null
  #closed = false

  constructor(options: SandboxPoolOptions) {
    this.#options = options
    this.#maxRuns = options.maxRuns ?? defaultMaxRuns
    this.#heldLines = new HeldLines(options.max + spareHeldLines)
    this.#reaper = options.command.outlivesGateway === true ? new Reaper(reason => this.#warn(reason)) : null
  }

  /** Sets the listener that is called whenever a sandbox becomes idle, or computes no longer. */
  onIdle(listener: () => void): void {
    this.#onIdle = listener
  }

  start(): void {
    this.#keepWarm()
  }

  /** True if at least one sandbox has booted. */
  get isReady(): boolean {
    return [...this.#sandboxes].some(sandbox => sandbox.isServing)
  }

  get pids(): number[] {
    return [...this.#sandboxes].flatMap(sandbox => sandbox.pid ?? [])
  }

  /** True while one sandbox is idle and another is booting. */
  get isShort(): boolean {
    return this.idle === 1 && this.#booting > 0
  }

  /** The number of sandboxes in each state. */
  get states(): Readonly<Record<'idle' | 'busy' | 'starting', number>> {
    const [idle, starting] = [this.idle, this.#booting]
    return { idle, busy: this.#sandboxes.size - idle - starting, starting }
  }

  /** The number of idle sandboxes. */
  get idle(): number {
    return [...this.#sandboxes].filter(sandbox => sandbox.isIdle).length
  }

  /** The number of idle sandboxes that are not recovering from a run. */
  get rested(): number {
    return [...this.#sandboxes].filter(sandbox => sandbox.isIdle && !sandbox.isRecovering).length
  }

  /** True while a sandbox boots, or recovers from a run of the account. */
  isRenewing(accountCode: string): boolean {
    const isOwn = (sandbox: SandboxProcess) => sandbox.isRecovering && sandbox.lastAccount === accountCode
    return [...this.#sandboxes].some(sandbox => sandbox.isBooting || isOwn(sandbox))
  }

  /** The number of sandboxes with a short run that waits for no call. */
  get computing(): number {
    return [...this.#sandboxes].filter(sandbox => sandbox.isComputing).length
  }

  /**
   * Returns an idle sandbox, the first that there is of:
   *
   * 1. if `processors` sandboxes compute or recover, so that one more would only take turns with them: one that
   *    recovers from a run of this account. If it does not recover, only its own account waits;
   * 2. one that has recovered: the last of this account, else the one that ran last, which is in the processor's
   *    caches;
   * 3. one that still recovers: the one of this account, else the one that began first, unless `mayRecover` refuses
   *    the account of its last run.
   *
   * Null if there is none.
   */
  takeIdle(
    accountCode: string,
    processors = Number.POSITIVE_INFINITY,
    mayRecover: (lastAccount: string) => boolean = () => true,
  ): SandboxProcess | null {
    const idle = [...this.#sandboxes].filter(({ isIdle, isRecovering, lastAccount }) => {
      const isOwn = lastAccount === null || lastAccount === accountCode
      return isIdle && (!isRecovering || isOwn || mayRecover(lastAccount))
    })
    const recovering = idle.filter(sandbox => sandbox.isRecovering)
    const own = recovering.find(sandbox => sandbox.lastAccount === accountCode)
    if (own !== undefined && this.computing + recovering.length >= processors) return own
    const rested = idle.filter(sandbox => !sandbox.isRecovering).reverse()
    const best = rested.length > 0 ? rested : recovering
    return best.find(sandbox => sandbox.lastAccount === accountCode) ?? best[0] ?? null
  }

  /** True if `wanted` sandboxes can be booting at once, within the maximum. */
  canGrow(wanted: number): boolean {
    return !this.#closed && this.#booting + this.#options.max - this.#sandboxes.size >= wanted
  }

  /**
   * Starts one more sandbox, within the maximum, unless one is booting: several boots at once share the processors, so
   * that the first would be ready as late as the last.
   */
  grow(): void {
    if (this.#booting === 0 && this.canGrow(1) && this.#maySpawn) this.#spawn()
  }

  // After a failed boot, no boot starts for a while, and then one at a time until it has succeeded.
  get #maySpawn(): boolean {
    return !this.#pausesBoots && (this.#failedBoots === 0 || this.#booting === 0)
  }

  get #booting(): number {
    return [...this.#sandboxes].filter(sandbox => sandbox.isBooting).length
  }

  /** Kills all sandboxes and resolves when every process is gone. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#shrink !== null) clearTimeout(this.#shrink)
    const gone = [...this.#sandboxes].map(sandbox => sandbox.gone)
    for (const sandbox of this.#sandboxes) sandbox.kill('was ended because its gateway stopped')
    await Promise.all(gone)
    this.#heldLines.close()
    // Their pids are free now.
    this.#reaper?.watch([])
    this.#reaper?.close()
  }

  #spawn(): void {
    const sandbox = new SandboxProcess({
      ...this.#options,
      computing: this.#computing,
      heldLines: this.#heldLines,
      onIdle: idle => this.#becomeIdle(idle),
      onRested: rested => this.#onRested(rested),
      onLost: () => this.#onLost(),
      onWait: () => this.#onIdle(),
    })
    this.#sandboxes.add(sandbox)
    this.#reaper?.watch(this.pids)
    void sandbox.gone.then(reason => this.#onGone(sandbox, reason))
  }

  #warn(reason: string): void {
    this.#options.log.warn(
      { reason },
      'the process that kills the sandboxes if the gateway dies does not run',
    )
  }

  #becomeIdle(sandbox: SandboxProcess): void {
    this.#sandboxes.delete(sandbox)
    this.#sandboxes.add(sandbox)
    if (sandbox.runs === 0) this.#onBooted()
    else if (this.#killWhenLarge(sandbox)) return
    this.#replaceWorn()
    if (!sandbox.isIdle) return
    this.#planShrink()
    this.#onIdle()
  }

  #onRested(sandbox: SandboxProcess): void {
    // A sandbox that recovered for long has been replaced.
    if (!this.#killWhenLarge(sandbox)) this.#planShrink()
  }

  // Under load this may be some runs late: the next run waits already, so memory at rest is read at most every 20 ms.
  #killWhenLarge(sandbox: SandboxProcess): boolean {
    const isLarge = (sandbox.restBytes ?? 0) > maxIdleBytes
    if (isLarge) sandbox.kill('is too large')
    return isLarge
  }

  #onLost(): void {
    this.#keepWarm()
    this.#onIdle()
  }

  #onBooted(): void {
    const hadFailed = this.#failedBoots > 0
    this.#failedBoots = 0
    if (hadFailed) this.#keepWarm()
  }

  // A worn sandbox serves until its replacement has booted, one at a time, so that no run waits for a boot.
  #replaceWorn(): void {
    const sandboxes = [...this.#sandboxes]
    const worn = sandboxes.find(({ isIdle, runs }) => isIdle && runs >= this.#maxRuns)
    if (worn === undefined) return
    const serving = sandboxes.filter(sandbox => sandbox.isServing)
    if (this.#spare > 0 || serving.length > this.#options.max) worn.kill('is worn')
    // No sandbox is booting or dying, and none has just failed to boot.
    else if (serving.length === sandboxes.length && !this.#pausesBoots) this.#spawn()
  }

  #onGone(sandbox: SandboxProcess, reason: string): void {
    this.#sandboxes.delete(sandbox)
    if (this.#closed) return
    this.#reaper?.watch(this.pids)
    const cause = causeOf(sandbox.endReason)
    if (cause !== null) this.#options.onReplaced?.(cause)
    if (sandbox.hasBooted) return this.#onLost()
    this.#failedBoots++
    this.#options.log.error(
      { reason, stderr: sandbox.stderrText, attempt: this.#failedBoots },
      'a sandbox did not boot',
    )
    this.#pauseBoots()
  }

  // One pause covers all boots that fail within it, so that failing boots are not retried in a loop.
  #pauseBoots(): void {
    if (this.#pausesBoots) return
    const pauseMs = Math.min(maxBootPauseMs, 50 * 2 ** this.#failedBoots)
    this.#pausesBoots = true
    setTimeout(() => {
      this.#pausesBoots = false
      this.#keepWarm()
    }, pauseMs).unref()
  }

  // Replaces sandboxes that are dying or have a long run at once, so that the next run does not wait for a boot.
  #keepWarm(): void {
    const { warm, max } = this.#options
    let soonFree = [...this.#sandboxes].filter(sandbox => sandbox.isSoonFree).length
    for (; soonFree < warm && this.#sandboxes.size < max && !this.#closed; soonFree++) {
      if (!this.#maySpawn) return
      this.#spawn()
    }
  }

  // Booted sandboxes beyond those kept ready.
  get #spare(): number {
    const free = [...this.#sandboxes].filter(sandbox => sandbox.isServing && sandbox.isSoonFree)
    return free.length - this.#options.warm
  }

  // Stops the idle sandboxes that a burst has started, after a while.
  #planShrink(): void {
    if (this.#shrink !== null || this.#spare <= 0) return
    this.#shrink = setTimeout(() => {
      this.#shrink = null
      const idle = [...this.#sandboxes].filter(sandbox => sandbox.isIdle)
      for (const sandbox of idle.slice(0, Math.max(0, this.#spare))) sandbox.kill('is not needed')
      this.#planShrink()
    }, this.#options.shrinkMs ?? defaultShrinkMs).unref()
  }
}
