import type { ComputingRuns } from '../pool/computing-runs.ts'
import { LongRun } from '../pool/long-run.ts'
import type { AnswerMessage, FromSandbox, RunMessage, ToSandbox } from '../protocol.ts'
import { parseMessage } from '../run/parse-message.ts'
import { prepareChild } from './child-priority.ts'
import { ResidentMemory } from './child-resources.ts'
import { LineChild } from './line-child.ts'
import type { SandboxCommand } from './sandbox-command.ts'

const bootMs = 10_000
// A sandbox gives itself 250 ms to get a script out of its isolate.
const recoveryMs = 2_000

/** What a sandbox tells the holder of its run; `gone` comes at most once, and nothing after it or after `end`. */
export interface SandboxListener {
  message(message: Exclude<FromSandbox, { type: 'ready' | 'begun' }>): void
  /** `hasBegun`: it has said a word of this run, and the script may have run. */
  gone(reason: string, hasBegun: boolean): void
}

interface HeldRun {
  readonly id: string
  readonly listener: SandboxListener
  hasBegun: boolean
}

export interface SandboxProcessOptions {
  readonly command: SandboxCommand
  /** Most bytes of one message from the child, and of messages to it that it has not read. */
  readonly longestFrameBytes: number
  readonly mostUnreadBytes: number
  readonly computing: ComputingRuns<LongRun>
  readonly onReady: (sandbox: SandboxProcess) => void
  /** It will be of no use to another run for a while, or ever: a long run has it, or it dies. */
  readonly onLost: () => void
}

type State = 'booting' | 'idle' | 'taken' | 'running' | 'recovering' | 'dying' | 'gone'

/**
 * One child process, from spawn to the proof that it is gone.
 *
 *   booting ─ready─▶ idle ─occupy─▶ taken ─begin─▶ running ─end─▶ recovering ─ready─▶ idle …
 *                      ◀───vacate──────┘
 *   any ─ kill: a bad message, a clock, the pool ─▶ dying ─▶ gone;   any ─ exit, crash ─▶ gone
 */
export class SandboxProcess {
  readonly #child: LineChild
  readonly #memory: ResidentMemory
  readonly #options: SandboxProcessOptions
  readonly #gone = Promise.withResolvers<void>()
  #state: State = 'booting'
  #clock: NodeJS.Timeout | null = null
  #cost: LongRun | null = null
  #run: HeldRun | null = null
  #reason: string | null = null
  #runs = 0
  #hasBooted = false
  #lastAccount: string | null = null

  constructor(options: SandboxProcessOptions) {
    this.#options = options
    this.#child = new LineChild({
      command: options.command,
      longestLineBytes: options.longestFrameBytes,
      onLine: line => this.#onLine(line),
      onExcess: reason => this.kill(reason),
      onGone: reason => this.#end(reason),
    })
    this.#memory = new ResidentMemory(this.pid)
    this.#killAfter(bootMs, 'did not boot in time')
    prepareChild(this.pid)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isIdle(): boolean {
    return this.#state === 'idle'
  }

  get isBooting(): boolean {
    return this.#state === 'booting'
  }

  /** Booted and not about to go. */
  get isServing(): boolean {
    return this.#hasBooted && this.#state !== 'dying' && this.#state !== 'gone'
  }

  /** True for one that other runs can count on: not held by a long run, not about to go. */
  get isSoonFree(): boolean {
    return this.#cost?.isLong !== true && this.#state !== 'dying' && this.#state !== 'gone'
  }

  /** False for one that went away before its first word: starting it anew may not help. */
  get hasBooted(): boolean {
    return this.#hasBooted
  }

  get runs(): number {
    return this.#runs
  }

  /** Whose script ran here last: with `ROSTRUM_ISOLATION=account` its isolate is still warm for that account. */
  get lastAccount(): string | null {
    return this.#lastAccount
  }

  /** Resolves when the process is gone and its pid is free. */
  get gone(): Promise<void> {
    return this.#gone.promise
  }

  /** What it first wrote to standard error: says why a sandbox did not boot. */
  get complaint(): string {
    return this.#child.complaint
  }

  /** Takes the idle sandbox for one run. */
  occupy(): void {
    this.#state = 'taken'
  }

  /** Gives it back unused: the run was over before it began. */
  vacate(): void {
    if (this.#state === 'taken') this.#becomeIdle()
  }

  /**
   * Sends the run; what the sandbox says until the run's end goes to `listener`. False where the process went away before:
   * nothing of the script has run.
   */
  begin(message: RunMessage, listener: SandboxListener): boolean {
    if (this.#state !== 'taken') return false
    this.#state = 'running'
    this.#runs++
    this.#run = { id: message.run, listener, hasBegun: false }
    this.#lastAccount = message.accountCode
    const { computing, onLost } = this.#options
    this.#cost = new LongRun({ pid: this.pid, computing, onLong: onLost })
    void this.#send(message)
    return true
  }

  /** Resolves when the pipe has taken the answer, or the process is gone. */
  async answer(message: AnswerMessage): Promise<void> {
    if (this.#run?.id === message.run) await this.#send(message)
  }

  /** Null where it has read what it was sent, else resolves when it has, or is gone. */
  untilRead(): Promise<void> | null {
    return this.#child.unreadBytes === 0 ? null : this.#child.lastWrite
  }

  /** SIGKILL: the only signal that a script in native code cannot outlast. */
  kill(reason: string): void {
    if (this.#state === 'gone' || this.#state === 'dying') return
    this.#state = 'dying'
    this.#reason = reason
    this.#child.kill()
    this.#options.onLost()
  }

  /** See `LongRun`. To be called now and then while it runs. */
  yieldWhenLong(): void {
    this.#cost?.yieldWhenLong()
  }

  /** Resident memory in bytes, where the system tells it. */
  residentBytes(): number | null {
    return this.#memory.read()
  }

  #onLine(line: string): void {
    if (this.#state === 'gone' || this.#state === 'dying') return
    const message = parseMessage(line)
    if (message === null) return this.kill('sent a message out of the protocol')
    if (message.type === 'ready') return this.#onReady()
    const run = this.#run
    if (run === null || run.id !== message.run) return this.kill('spoke of a run that is not its own')
    if (message.type === 'begun' && run.hasBegun) return this.kill('began its run twice')
    run.hasBegun = true
    if (message.type === 'begun') return
    if (message.type === 'end') {
      this.#run = null
      this.#state = 'recovering'
      this.#endCost()
      this.#killAfter(recoveryMs, 'did not recover from its run in time')
    }
    run.listener.message(message)
  }

  #onReady(): void {
    if (this.#state !== 'booting' && this.#state !== 'recovering') {
      return this.kill('said ready out of turn')
    }
    this.#stopClock()
    this.#hasBooted = true
    this.#becomeIdle()
  }

  #endCost(): void {
    if (this.#cost?.end() === false) this.kill('may not have its priority back')
    this.#cost = null
  }

  #becomeIdle(): void {
    this.#state = 'idle'
    this.#options.onReady(this)
  }

  #send(message: ToSandbox): Promise<void> {
    const written = this.#child.write(JSON.stringify(message))
    if (this.#child.unreadBytes > this.#options.mostUnreadBytes) this.kill('did not read what it was sent')
    return written
  }

  #killAfter(ms: number, reason: string): void {
    this.#stopClock()
    this.#clock = setTimeout(() => this.kill(reason), ms)
  }

  #stopClock(): void {
    if (this.#clock !== null) clearTimeout(this.#clock)
    this.#clock = null
  }

  #end(reason: string): void {
    if (this.#state === 'gone') return
    this.#state = 'gone'
    this.#stopClock()
    this.#cost?.stop()
    this.#memory.close()
    this.#gone.resolve()
    const run = this.#run
    this.#run = null
    run?.listener.gone(this.#reason ?? reason, run.hasBegun)
  }
}
