import type { Logger } from 'pino'
import { ComputingRuns } from './computing-runs.ts'
import type { LongRun } from './long-run.ts'
import type { SandboxCommand } from './sandbox-command.ts'
import { SandboxProcess } from './sandbox-process.ts'

// A boot costs as much as fifty runs. At rest a sandbox holds 63 MB after 1,800 clean runs, 58 after 300.
const mostRuns = 2_000
const mostBytesAtRest = 150 * 2 ** 20
const idleBeforeShrinkMs = 30_000
const longestBootPauseMs = 5_000

export interface SandboxPoolOptions {
  readonly command: SandboxCommand
  readonly longestFrameBytes: number
  readonly mostUnreadBytes: number
  /** Kept ready at all times, and the most there may be. */
  readonly warm: number
  readonly most: number
  readonly log: Logger
}

/**
 * The sandbox processes: keeps `warm` of them ready, starts more on demand up to `most`, replaces each that is worn, crashed or
 * killed. Who gets an idle one is decided in `admission.ts`.
 */
export class SandboxPool {
  readonly #options: SandboxPoolOptions
  readonly #sandboxes = new Set<SandboxProcess>()
  #onIdle: () => void = () => undefined
  readonly #computing = new ComputingRuns<LongRun>()
  #failedBoots = 0
  #shrink: NodeJS.Timeout | null = null
  #closed = false

  constructor(options: SandboxPoolOptions) {
    this.#options = options
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

  /** Starts sandboxes until `wanted` are booting, within the bound. */
  grow(wanted: number): void {
    for (let booting = this.#booting; booting < wanted && this.canGrow(booting + 1); booting++) this.#spawn()
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
    this.#failedBoots = 0
    const isLarge = sandbox.runs > 0 && (sandbox.residentBytes() ?? 0) > mostBytesAtRest
    if (isLarge || sandbox.runs >= mostRuns) return sandbox.kill('is worn')
    this.#planShrink()
    this.#onIdle()
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
    const pauseMs = Math.min(longestBootPauseMs, 50 * 2 ** this.#failedBoots)
    setTimeout(() => this.#keepWarm(), pauseMs).unref()
  }

  // Those that a long run holds or that die are made up for at once, so that who comes next does not wait for a boot.
  #keepWarm(): void {
    const { warm, most } = this.#options
    let soonFree = [...this.#sandboxes].filter(sandbox => sandbox.isSoonFree).length
    for (; soonFree < warm && this.#sandboxes.size < most && !this.#closed; soonFree++) this.#spawn()
  }

  // What a burst has started goes away again once nothing has become idle for a while.
  #planShrink(): void {
    if (this.#sandboxes.size <= this.#options.warm) return
    if (this.#shrink !== null) clearTimeout(this.#shrink)
    this.#shrink = setTimeout(() => {
      this.#shrink = null
      const idle = [...this.#sandboxes].filter(sandbox => sandbox.isIdle)
      const spare = Math.min(idle.length, this.#sandboxes.size - this.#options.warm)
      for (const sandbox of idle.slice(0, spare)) sandbox.kill('is not needed')
    }, idleBeforeShrinkMs).unref()
  }
}
