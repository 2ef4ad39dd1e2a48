import type { AnswerMessage, FromSandbox, RunMessage, ToSandbox } from '../protocol.ts'
import { parseMessage } from '../run/parse-message.ts'
import { prepareChild } from './child-priority.ts'
import { ResidentMemory } from './child-resources.ts'
import type { ComputingRuns } from './computing-runs.ts'
import { LineChild } from './line-child.ts'
import { LongRun } from './long-run.ts'
import type { SandboxCommand } from './sandbox-command.ts'

const bootMs = 10_000
// Maximum time until a sandbox is ready again after a run. It takes up to 250 ms to get a script out of its isolate.
const recoveryMs = 2_000

/** Receives the messages of a run. `gone` is called at most once, and nothing follows `gone` or an `end` message. */
export interface SandboxListener {
  /** The sandbox has begun the run: its first message of it has come. */
  begun?(): void
  message(message: Exclude<FromSandbox, { type: 'ready' | 'begun' }>): void
  /**
   * Called when the process is gone. `hasBegun` is true if it had sent a message of this run, so that the script may
   * have run.
   */
  gone(reason: string, hasBegun: boolean): void
}

interface CurrentRun {
  readonly id: string
  readonly listener: SandboxListener
  hasBegun: boolean
}

export interface SandboxProcessOptions {
  readonly command: SandboxCommand
  /** Maximum bytes of one message from the child, and of the messages to it that it has not read. */
  readonly maxFrameBytes: number
  readonly maxUnreadBytes: number
  readonly computing: ComputingRuns<LongRun>
  readonly onReady: (sandbox: SandboxProcess) => void
  /** Called if the sandbox will not be free soon, because of a long run or because it is dying. */
  readonly onLost: () => void
}

type State = 'booting' | 'idle' | 'taken' | 'running' | 'recovering' | 'dying' | 'gone'

/**
 * One child process, from spawn to the proof that it is gone.
 *
 *   booting -ready-> idle -occupy-> taken -begin-> running -end-> recovering -ready-> idle ...
 *                     <----vacate-----/
 *   any - kill: a bad message, a clock, the pool -> dying -> gone;   any - exit, crash -> gone
 */
export class SandboxProcess {
  readonly #child: LineChild
  readonly #memory: ResidentMemory
  readonly #options: SandboxProcessOptions
  readonly #gone = Promise.withResolvers<void>()
  #state: State = 'booting'
  #clock: NodeJS.Timeout | null = null
  #longRun: LongRun | null = null
  #run: CurrentRun | null = null
  #reason: string | null = null
  #runs = 0
  #hasBooted = false
  #lastAccount: string | null = null

  constructor(options: SandboxProcessOptions) {
    this.#options = options
    this.#child = new LineChild({
      command: options.command,
      maxLineBytes: options.maxFrameBytes,
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

  /** True if the process has booted and is not dying. */
  get isServing(): boolean {
    return this.#hasBooted && this.#state !== 'dying' && this.#state !== 'gone'
  }

  /** True if waiting runs can expect to get the sandbox soon: it has no long run and is not dying. */
  get isSoonFree(): boolean {
    return this.#longRun?.isLong !== true && this.#state !== 'dying' && this.#state !== 'gone'
  }

  /** False if the process ended before it was ready. Starting another one may not help then. */
  get hasBooted(): boolean {
    return this.#hasBooted
  }

  get runs(): number {
    return this.#runs
  }

  /** Why the gateway killed it; null while it lives, and if it ended by itself. */
  get endReason(): string | null {
    return this.#reason
  }

  /** The account of the last run. With `ROSTRUM_ISOLATION=account` the isolate is already prepared for it. */
  get lastAccount(): string | null {
    return this.#lastAccount
  }

  /** Resolves when the process is gone and its pid is free. */
  get gone(): Promise<void> {
    return this.#gone.promise
  }

  /** The first characters of the process's standard error, which say why it did not boot. */
  get stderrText(): string {
    return this.#child.stderrText
  }

  /** Reserves the idle sandbox for one run. */
  occupy(): void {
    this.#state = 'taken'
  }

  /** Returns the reserved sandbox unused, because the run ended before it began. */
  vacate(): void {
    if (this.#state === 'taken') this.#becomeIdle()
  }

  /**
   * Sends the run to the process. Messages of the run go to `listener`. Returns false if the process was already gone;
   * then nothing of the script has run.
   */
  begin(message: RunMessage, listener: SandboxListener): boolean {
    if (this.#state !== 'taken') return false
    this.#state = 'running'
    this.#runs++
    this.#run = { id: message.run, listener, hasBegun: false }
    this.#lastAccount = message.accountCode
    const { computing, onLost } = this.#options
    this.#longRun = new LongRun({ pid: this.pid, computing, onLong: onLost })
    void this.#send(message)
    return true
  }

  /** Sends an answer to a call. Resolves when the pipe has taken it, or the process is gone. */
  async answer(message: AnswerMessage): Promise<void> {
    if (this.#run?.id === message.run) await this.#send(message)
  }

  /** Returns null if the process has read everything sent to it; otherwise resolves when it has, or is gone. */
  untilRead(): Promise<void> | null {
    return this.#child.unreadBytes === 0 ? null : this.#child.lastWrite
  }

  /** Sends SIGKILL, the only signal that ends a script in native code. */
  kill(reason: string): void {
    if (this.#state === 'gone' || this.#state === 'dying') return
    this.#state = 'dying'
    this.#reason = reason
    this.#child.kill()
    this.#options.onLost()
  }

  /** Lowers the priority of a long run (see `LongRun`). Call it regularly during a run. */
  yieldWhenLong(): void {
    this.#longRun?.yieldWhenLong()
  }

  /** Returns the resident memory in bytes; null if unknown. */
  residentBytes(): number | null {
    return this.#memory.read()
  }

  #onLine(line: string): void {
    if (this.#state === 'gone' || this.#state === 'dying') return
    const message = parseMessage(line)
    if (message === null) return this.kill('sent a message that is not in the protocol')
    if (message.type === 'ready') return this.#onReady()
    const run = this.#run
    if (run === null || run.id !== message.run) return this.kill('sent a message of another run')
    if (message.type === 'begun' && run.hasBegun) return this.kill('began its run twice')
    if (!run.hasBegun) {
      run.hasBegun = true
      run.listener.begun?.()
    }
    if (message.type === 'begun') return
    if (message.type === 'end') {
      this.#run = null
      this.#state = 'recovering'
      this.#endLongRun()
      this.#killAfter(recoveryMs, 'did not recover from its run in time')
    }
    run.listener.message(message)
  }

  #onReady(): void {
    if (this.#state !== 'booting' && this.#state !== 'recovering') {
      return this.kill('sent `ready` out of order')
    }
    this.#stopClock()
    this.#hasBooted = true
    this.#becomeIdle()
  }

  #endLongRun(): void {
    if (this.#longRun?.end() === false) this.kill('could not get its priority back')
    this.#longRun = null
  }

  #becomeIdle(): void {
    this.#state = 'idle'
    this.#options.onReady(this)
  }

  #send(message: ToSandbox): Promise<void> {
    const written = this.#child.write(JSON.stringify(message))
    if (this.#child.unreadBytes > this.#options.maxUnreadBytes) this.kill('did not read its input')
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
    this.#longRun?.stop()
    this.#memory.close()
    this.#gone.resolve()
    const run = this.#run
    this.#run = null
    run?.listener.gone(this.#reason ?? reason, run.hasBegun)
  }
}
