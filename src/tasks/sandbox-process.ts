import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { FrameReader } from './frames.ts'
import { parseMessage } from './parse-message.ts'
import type { FromSandbox, RunMessage, ToSandbox } from './protocol.ts'
import type { SandboxCommand } from './sandbox-command.ts'

const pageBytes = 4096
const mostComplaintCharacters = 2_000

/** What a sandbox tells its holder; `gone` is the last word and comes exactly once. */
export interface SandboxListener {
  message(message: Exclude<FromSandbox, { type: 'ready' }>): void
  gone(reason: string): void
}

/**
 * One child process, from spawn to the proof that it is gone.
 *
 *   booting ── ready ──▶ idle ── run sent ──▶ busy ── ready ──▶ idle …
 *      └───────── exit, crash, a message out of the protocol, kill() ───────▶ gone
 */
export class SandboxProcess {
  readonly #child: ChildProcess
  readonly #onReady: (sandbox: SandboxProcess) => void
  readonly #gone = Promise.withResolvers<void>()
  #listener: SandboxListener | null = null
  #state: 'booting' | 'idle' | 'busy' | 'gone' = 'booting'
  #complaint = ''
  #reason: string | null = null
  #runs = 0
  #booted = false
  /** Whose script ran here last; with `ROSTRUM_ISOLATION=account` no other account's may follow in the same isolate. */
  lastAccount: string | null = null

  constructor(
    command: SandboxCommand,
    longestFrameBytes: number,
    onReady: (sandbox: SandboxProcess) => void,
  ) {
    this.#onReady = onReady
    this.#child = spawn(command.file, command.args, {
      env: command.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: false,
    })
    const frames = new FrameReader(
      longestFrameBytes,
      line => this.#onLine(line),
      () => this.kill('sent a message past the size limit'),
    )
    this.#child.stdout?.on('data', chunk => frames.push(chunk))
    this.#child.stderr?.on('data', chunk => this.#keepComplaint(chunk))
    // A write to a child that is gone fails here; its exit is told by 'close'.
    this.#child.stdin?.on('error', () => undefined)
    this.#child.stdin?.write(`${command.firstLine}\n`)
    this.#child.on('error', error => this.#end(error.message))
    this.#child.on('close', (code, signal) =>
      this.#end(signal === null ? `exited with code ${code}` : `was ended by ${signal}`),
    )
    this.#yieldToGateway()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isIdle(): boolean {
    return this.#state === 'idle'
  }

  get isGone(): boolean {
    return this.#state === 'gone'
  }

  get hasBooted(): boolean {
    return this.#state === 'idle' || this.#state === 'busy'
  }

  /** False for one that went away before its first word: starting it anew may not help. */
  get hasBootedOnce(): boolean {
    return this.#booted
  }

  get runs(): number {
    return this.#runs
  }

  /** Resolves when the process is gone and its pid is free. */
  get gone(): Promise<void> {
    return this.#gone.promise
  }

  /** What it last wrote to standard error: says why a sandbox did not boot. */
  get complaint(): string {
    return this.#complaint
  }

  /** Takes the idle sandbox for one run. */
  occupy(): void {
    this.#state = 'busy'
  }

  /** Gives it back unused: the run was over before it began. */
  vacate(): void {
    if (this.#state !== 'busy') return
    this.#state = 'idle'
    this.#onReady(this)
  }

  /** Sends the run; what the sandbox says until the run's end goes to `listener`. */
  begin(message: RunMessage, listener: SandboxListener): void {
    if (this.#state === 'gone') return listener.gone(this.#reason ?? 'was gone before the run began')
    this.#runs++
    this.#listener = listener
    this.lastAccount = message.accountCode
    this.send(message)
  }

  send(message: ToSandbox): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`)
  }

  /** SIGKILL: the only signal that a script in native code cannot outlast. */
  kill(reason: string): void {
    this.#reason ??= reason
    this.#child.kill('SIGKILL')
  }

  /** Resident memory in bytes; null where the system has no /proc, or the process is gone. */
  residentBytes(): number | null {
    try {
      const pages = readFileSync(`/proc/${this.pid}/statm`, 'latin1').split(' ')[1]
      return Number(pages) * pageBytes
    } catch {
      return null
    }
  }

  #onLine(line: string): void {
    if (this.#state === 'gone' || this.#reason !== null) return
    const message = parseMessage(line)
    if (message === null) return this.kill('sent a message out of the protocol')
    if (message.type === 'ready') return this.#onReadyMessage()
    const listener = this.#listener
    if (listener === null) return this.kill('sent a message outside a run')
    if (message.type === 'end') this.#listener = null
    listener.message(message)
  }

  #onReadyMessage(): void {
    // Ready in the middle of a run, or twice: not one of ours.
    if (this.#state === 'idle' || this.#listener !== null) return this.kill('said ready out of turn')
    this.#state = 'idle'
    this.#booted = true
    this.#onReady(this)
  }

  #keepComplaint(chunk: Buffer): void {
    if (this.#complaint.length < mostComplaintCharacters)
      this.#complaint += chunk.toString('utf8').slice(0, mostComplaintCharacters)
  }

  #end(reason: string): void {
    if (this.#state === 'gone') return
    this.#state = 'gone'
    this.#gone.resolve()
    const listener = this.#listener
    this.#listener = null
    listener?.gone(this.#reason ?? reason)
  }

  // The gateway answers first and survives longest. Neither works on every system, and nothing depends on it.
  #yieldToGateway(): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      setPriority(pid, 5)
      writeFileSync(`/proc/${pid}/oom_score_adj`, '900')
    } catch {
      // Not permitted here.
    }
  }
}
