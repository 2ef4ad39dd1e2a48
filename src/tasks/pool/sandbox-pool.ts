import type { Logger } from 'pino'
import type { SandboxCommand } from '../launch/sandbox-command.ts'
import { SandboxProcess } from '../launch/sandbox-process.ts'
import { ComputingRuns } from './computing-runs.ts'
import type { LongRun } from './long-run.ts'

// A boot costs as much as fifty runs. At rest a sandbox holds 63 MB after 1,800 clean runs, 58 after 300.
const usualMostRuns = 2_000
const mostBytesAtRest = 150 * 2 ** 20
const usualShrinkMs = 30_000
// With a boot, which takes as long at most on a machine that has time, a second: half of what a run waits.
const longestBootPauseMs = 500

export interface SandboxPoolOptions {
  readonly command: SandboxCommand
  readonly longestFrameBytes: number
  readonly mostUnreadBytes: number
  /** Kept ready at all times, and the most there may be. */
  readonly warm: number
  readonly most: number
  /** After so many a sandbox is worn; 2,000 unless told. */
  readonly mostRuns?: number | undefined
  /** So long after there are more than `warm`, those that are idle and too many go; 30 s unless told. */
  readonly shrinkMs?: number | undefined
  readonly log: Logger
}

/**
 * The sandbox processes: keeps `warm` of them ready, starts more on demand up to `most`, replaces each that is worn, crashed or
 * killed. Who gets an idle one is decided in `admission.ts`.
 */
export class SandboxPool {
  readonly #options: SandboxPoolOptions
  readonly #mostRuns: number
  readonly #sandboxes = new Set<SandboxProcess>()
  #onIdle: () => void = () => undefined
  readonly #computing = new ComputingRuns<LongRun>()
  #failedBoots = 0
  #pausesBoots = false
  #shrink: NodeJS.Timeout | null = null
  #closed = false

  constructor(options: SandboxPoolOptions) {
    this.#options = options
    this.#mostRuns = options.mostRuns ?? usualMostRuns
  }

  /** Called whenever a sandbox has become idle. */
  onIdle(listener: () => void): void {
    this.#onIdle = listener
  }

  start(): void {
    this.#keepWarm()
  }

  /** True while at least one sandbox has booted. */
  get isReady(): boolean {
    return [...this.#sandboxes].some(sandbox => sandbox.isServing)
  }

  get pids(): number[] {
    return [...this.#sandboxes].flatMap(sandbox => sandbox.pid ?? [])
  }

  /** True while a single sandbox is idle and the next one boots. */
  get isShort(): boolean {
    const sandboxes = [...this.#sandboxes]
    return (
      sandboxes.filter(({ isIdle }) => isIdle).length === 1 && sandboxes.some(({ isBooting }) => isBooting)
    )
  }

  /** An idle sandbox, one that last ran for this account if there is one; null while all are busy. */
  takeIdle(accountCode: string): SandboxProcess | null {
    const idle = [...this.#sandboxes].filter(sandbox => sandbox.isIdle)
    return idle.find(sandbox => sandbox.lastAccount === accountCode) ?? idle[0] ?? null
  }

  /** True where so many could be booting, within the bound. */
  canGrow(wanted: number): boolean {
    return !this.#closed && this.#booting + this.#options.most - this.#sandboxes.size >= wanted
  }

  /** Starts sandboxes until `wanted` are booting, within the bound and as far as boots do not fail. */
  grow(wanted: number): void {
    for (let booting = this.#booting; booting < wanted && this.canGrow(booting + 1); booting++) {
      if (!this.#maySpawn) return
      this.#spawn()
    }
  }

  // After a boot has failed none begins for a while, and then one alone until it has booted.
  get #maySpawn(): boolean {
    return !this.#pausesBoots && (this.#failedBoots === 0 || this.#booting === 0)
  }

  get #booting(): number {
    return [...this.#sandboxes].filter(sandbox => sandbox.isBooting).length
  }

  /** Ends all sandboxes and resolves when every process is gone. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#shrink !== null) clearTimeout(this.#shrink)
    const gone = [...this.#sandboxes].map(sandbox => sandbox.gone)
    for (const sandbox of this.#sandboxes) sandbox.kill('the gateway stops')
    await Promise.all(gone)
  }

  #spawn(): void {
    const sandbox = new SandboxProcess({
      ...this.#options,
      computing: this.#computing,
      onReady: ready => this.#onReady(ready),
      onLost: () => this.#keepWarm(),
    })
    this.#sandboxes.add(sandbox)
    void sandbox.gone.then(() => this.#onGone(sandbox))
  }

  #onReady(sandbox: SandboxProcess): void {
    if (sandbox.runs === 0) this.#onBooted()
    else if ((sandbox.residentBytes() ?? 0) > mostBytesAtRest) return sandbox.kill('is too large')
    this.#replaceWorn()
    if (!sandbox.isIdle) return
    this.#planShrink()
    this.#onIdle()
  }

  #onBooted(): void {
    const hadFailed = this.#failedBoots > 0
    this.#failedBoots = 0
    if (hadFailed) this.#keepWarm()
  }

  // A worn one serves on until another has booted in its place, one after the other: no run waits for a boot, and those of
  // one age do not go together.
  #replaceWorn(): void {
    const sandboxes = [...this.#sandboxes]
    const worn = sandboxes.find(({ isIdle, runs }) => isIdle && runs >= this.#mostRuns)
    if (worn === undefined) return
    const serving = sandboxes.filter(sandbox => sandbox.isServing)
    if (this.#spare > 0 || serving.length > this.#options.most) worn.kill('is worn')
    // None boots, dies, or has failed to boot just now.
    else if (serving.length === sandboxes.length && !this.#pausesBoots) this.#spawn()
  }

  #onGone(sandbox: SandboxProcess): void {
    this.#sandboxes.delete(sandbox)
    if (this.#closed) return
    if (sandbox.hasBooted) {
      this.#keepWarm()
      this.#onIdle()
      return
    }
    this.#failedBoots++
    this.#options.log.error(
      { complaint: sandbox.complaint, attempt: this.#failedBoots },
      'a sandbox did not boot',
    )
    this.#pauseBoots()
  }

  // One pause for all that fail within it: whatever wants a sandbox, a boot that fails is not tried without end.
  #pauseBoots(): void {
    if (this.#pausesBoots) return
    const pauseMs = Math.min(longestBootPauseMs, 50 * 2 ** this.#failedBoots)
    this.#pausesBoots = true
    setTimeout(() => {
      this.#pausesBoots = false
      this.#keepWarm()
    }, pauseMs).unref()
  }

  // Those that a long run holds or that die are made up for at once, so that who comes next does not wait for a boot.
  #keepWarm(): void {
    const { warm, most } = this.#options
    let soonFree = [...this.#sandboxes].filter(sandbox => sandbox.isSoonFree).length
    for (; soonFree < warm && this.#sandboxes.size < most && !this.#closed; soonFree++) {
      if (!this.#maySpawn) return
      this.#spawn()
    }
  }

  // Beyond those kept ready, of those that have booted.
  get #spare(): number {
    const free = [...this.#sandboxes].filter(sandbox => sandbox.isServing && sandbox.isSoonFree)
    return free.length - this.#options.warm
  }

  // What a burst has started goes away again: after a while, those that are idle just then.
  #planShrink(): void {
    if (this.#shrink !== null || this.#spare <= 0) return
    this.#shrink = setTimeout(() => {
      this.#shrink = null
      const idle = [...this.#sandboxes].filter(sandbox => sandbox.isIdle)
      for (const sandbox of idle.slice(0, Math.max(0, this.#spare))) sandbox.kill('is not needed')
      this.#planShrink()
    }, this.#options.shrinkMs ?? usualShrinkMs).unref()
  }
}
