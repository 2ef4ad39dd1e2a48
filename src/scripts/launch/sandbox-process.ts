import { afterReading } from '../../signals/after-reading.ts'
import type { KillReason } from '../kill-causes.ts'
import { isHeld, parseMessage } from '../parse-message.ts'
import { type AnswerMessage, type FromSandbox, type RunMessage, type ToSandbox, toLine } from '../protocol.ts'
import { prepareChild } from '../resources/child-priority.ts'
import { processorMsOf, ResidentMemory } from '../resources/child-resources.ts'
import type { ComputingRuns } from '../resources/computing-runs.ts'
import { LongRun } from '../resources/long-run.ts'
import { Recovery } from '../resources/recovery.ts'
import { CurrentRun, type SandboxListener } from './current-run.ts'
import { type HeldLines, HeldReader } from './held-lines.ts'
import { LineChild } from './line-child.ts'
import type { SandboxCommand } from './sandbox-command.ts'

const bootMs = 10_000

export interface SandboxProcessOptions {
  readonly command: SandboxCommand
  /** Maximum bytes of one message from the child, and of the messages to it that it has not read. */
  readonly maxFrameBytes: number
  readonly maxUnreadBytes: number
  readonly computing: ComputingRuns<LongRun>
  /** The pipes for lines that a sandbox has not sent yet. Without one, it sends every line at once. */
  readonly heldLines?: HeldLines | undefined
  /** Called when the sandbox is idle: it has booted, or its run has ended. */
  readonly onIdle: (sandbox: SandboxProcess) => void
  /** Called when an idle sandbox has recovered from its last run, so that its memory at rest is known. */
  readonly onRested?: (sandbox: SandboxProcess) => void
  /** Called if the sandbox has a long run, recovers for long or is dying. */
  readonly onLost: () => void
  /** Called when the run waits for a call. */
  readonly onWait?: () => void
}

type State = 'booting' | 'idle' | 'taken' | 'running' | 'dying' | 'gone'

/**
 * One child process, from spawn to the proof that it is gone.
 *
 *   booting -ready-> idle -occupy-> taken -begin-> running -end-> idle ...
 *                     <----vacate-----/
 *   any - kill: a bad message, a clock, the pool -> dying -> gone;   any - exit, crash -> gone
 *
 * After a run the process recovers: it replaces its isolate and then says `ready`. The next run may be sent meanwhile.
 * It has not begun then, so another sandbox can take it if this one does not recover.
 */
export class SandboxProcess {
  readonly #child: LineChild
  readonly #memory: ResidentMemory
  readonly #options: SandboxProcessOptions
  readonly #gone = Promise.withResolvers<string>()
  readonly #held: HeldReader
  #state: State = 'booting'
  readonly #stopBootClock: () => void
  #longRun: LongRun | null = null
  #run: CurrentRun | null = null
  #reason: KillReason | null = null
  /** The recovery from the last run. */
  readonly recovery = new Recovery({
    // A process that recovered may hold its `ready`: its next run computes, or the gateway itself was late.
    onCheck: () => this.#check(),
    residentBytes: () => this.residentBytes(),
    onLong: () => this.#options.onLost(),
    onFailure: reason => this.kill(reason),
  })
  #runs = 0
  #hasBooted = false
  #lastAccount: string | null = null

  constructor(options: SandboxProcessOptions) {
    this.#options = options
    this.#held = new HeldReader(options.heldLines?.take() ?? null)
    this.#child = new LineChild({
      command: options.command,
      maxLineBytes: options.maxFrameBytes,
      heldLines: this.#held.pipe,
      onLine: line => {
        if (this.#held.receive()) this.#accept(parseMessage(line))
      },
      onExcess: reason => this.kill(reason),
      onGone: reason => this.#end(reason),
    })
    this.#memory = new ResidentMemory(this.pid)
    this.#stopBootClock = afterReading(bootMs, () => this.kill('did not boot in time'))
    prepareChild(this.pid)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isIdle(): boolean {
    return this.#state === 'idle' && !this.recovery.isLong
  }

  /** True from the end of a run until the process says that it is ready. */
  get isRecovering(): boolean {
    return this.recovery.isRunning
  }

  get isBooting(): boolean {
    return this.#state === 'booting'
  }

  /** True if the process has booted and is not dying. */
  get isServing(): boolean {
    return this.#hasBooted && this.#state !== 'dying' && this.#state !== 'gone'
  }

  /** True if waiting runs can expect to get the sandbox soon: it has no long run or recovery and is not dying. */
  get isSoonFree(): boolean {
    const isLong = this.#longRun?.isLong === true || this.recovery.isLong
    return !isLong && this.#state !== 'dying' && this.#state !== 'gone'
  }

  /** True while it has a short run that waits for no call. */
  get isComputing(): boolean {
    const hasRun = this.#state === 'taken' || this.#state === 'running'
    return hasRun && this.#longRun?.isLong !== true && this.#run?.waitsForCalls !== true
  }

  /** False if the process ended before it was ready. */
  get hasBooted(): boolean {
    return this.#hasBooted
  }

  get runs(): number {
    return this.#runs
  }

  /** Why the gateway killed it; null while it lives, and if it ended by itself. */
  get endReason(): KillReason | null {
    return this.#reason
  }

  get lastAccount(): string | null {
    return this.#lastAccount
  }

  /** Resolves with the reason when the process is gone and its pid is free. */
  get gone(): Promise<string> {
    return this.#gone.promise
  }

  /** Its first characters say why the process did not boot, or aborted. */
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
    const run = new CurrentRun(message.run, listener, this.#options.onWait)
    this.#run = run
    this.#lastAccount = message.accountCode
    const { computing, onLost: onLong } = this.#options
    const onCheck = () => this.#check()
    const recovers = () => this.isRecovering
    this.#longRun = new LongRun({ pid: this.pid, computing, run, recovers, onLong, onCheck })
    void this.#send(message)
    return true
  }

  /** Sends an answer to a call. Resolves when the pipe has taken it, or the process is gone. */
  async answer(message: AnswerMessage): Promise<void> {
    if (this.#run?.id !== message.run) return
    this.#run.answerCall()
    await this.#send(message)
  }

  /** Returns null if the process has read everything sent to it; otherwise resolves when it has, or is gone. */
  untilRead(): Promise<void> | null {
    return this.#child.unreadBytes === 0 ? null : this.#child.lastWrite
  }

  /** Sends SIGKILL, the only signal that ends a script in native code. */
  kill(reason: KillReason): void {
    if (this.#state === 'gone' || this.#state === 'dying') return
    this.#state = 'dying'
    this.#reason = reason
    this.#deliverHeld()
    this.#child.kill()
    this.#options.onLost()
  }

  /** The processor time of the run in ms, without that of its first 20 ms. */
  get processorMs(): number {
    return this.#longRun?.processorMs ?? 0
  }

  /** Returns the resident memory in bytes; null if unknown. */
  residentBytes(): number | null {
    return this.#memory.read()
  }

  /** The resident memory when it was last read at rest, in bytes; null if unknown. */
  get restBytes(): number | null {
    return this.#memory.atRest
  }

  /** True if the run holds more memory. While the process recovers, its memory is that of the run before. */
  holdsMoreThan(bytes: number): boolean {
    return !this.isRecovering && (this.residentBytes() ?? 0) > bytes
  }

  // Reads what a process that computes has not sent. Ends a process that does not begin its run.
  #check(): void {
    for (const message of this.#held.take().map(parseMessage)) {
      if (message !== null && !isHeld(message)) return this.kill('held a message that it must send')
      this.#accept(message)
    }
    const isOverdue = !this.isRecovering && this.#run?.isOverdue(() => processorMsOf(this.pid))
    if (isOverdue) this.kill('did not begin its run in time')
  }

  // Delivers what the process had not sent when it died.
  #deliverHeld(): void {
    const run = this.#run
    if (run === null) return
    for (const message of this.#held.takeAll().map(parseMessage)) {
      // The run has ended, so no call of it is made any more.
      if (message !== null && isHeld(message) && message.type !== 'ready' && message.run === run.id)
        run.deliver(message)
    }
  }

  #accept(message: FromSandbox | null): void {
    if (this.#state === 'gone' || this.#state === 'dying') return
    if (message === null) return this.kill('sent a message that is not in the protocol')
    if (message.type === 'ready') return this.#onReady()
    const run = this.#run
    if (run === null || run.id !== message.run) return this.kill('sent a message of another run')
    if (message.type === 'begun' && run.hasBegun) return this.kill('began its run twice')
    // Nothing was taken of the run, so another sandbox can take it.
    if (this.isRecovering) return this.kill('began a run before it was ready')
    if (message.type !== 'end') return run.deliver(message)
    this.#run = null
    this.recovery.start(this.pid)
    if (this.#longRun?.end() === false) this.kill('could not get its priority back')
    this.#longRun = null
    run.deliver(message)
    // The listener kills it after an unclean end.
    if (this.#state === 'running') this.#becomeIdle()
  }

  #onReady(): void {
    if (this.#state === 'booting') {
      this.#stopBootClock()
      this.#hasBooted = true
      this.#memory.noteRest(true)
      return this.#becomeIdle()
    }
    if (!this.isRecovering) return this.kill('sent `ready` out of order')
    this.recovery.stop()
    this.#memory.noteRest(this.#state === 'idle')
    if (this.#state === 'idle') this.#options.onRested?.(this)
  }

  #becomeIdle(): void {
    this.#state = 'idle'
    this.#options.onIdle(this)
  }

  #send(message: ToSandbox): Promise<void> {
    const written = this.#child.write(toLine(message))
    if (this.#child.unreadBytes > this.#options.maxUnreadBytes) this.kill('did not read its input')
    return written
  }

  #end(reason: string): void {
    if (this.#state === 'gone') return
    if (this.#state !== 'dying') this.#deliverHeld()
    this.#state = 'gone'
    if (this.#held.pipe !== null) this.#options.heldLines?.release(this.#held.pipe)
    this.#stopBootClock()
    this.recovery.stop()
    this.#longRun?.stop()
    this.#memory.close()
    const cause = this.#reason ?? reason
    this.#gone.resolve(cause)
    const run = this.#run
    this.#run = null
    run?.end(cause)
  }
}
