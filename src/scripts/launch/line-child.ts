import { type ChildProcess, spawn } from 'node:child_process'
import { FrameReader } from './frames.ts'
import type { SandboxCommand } from './sandbox-command.ts'

const maxStderrLength = 2_000
// Node and V8 write a few thousand bytes before they die. A child that writes more keeps the gateway busy.
const maxStderrBytes = 256 * 1024
// Time to read the pipes of a process that has ended. Another process may hold them open indefinitely.
const drainMs = 250

export interface LineChildOptions {
  readonly command: SandboxCommand
  readonly maxLineBytes: number
  readonly onLine: (line: string) => void
  /** Called if the child misused its pipes and should be killed. */
  readonly onExcess: (reason: string) => void
  readonly onGone: (reason: string) => void
}

/** A child process that exchanges lines with the gateway: its pipes and its end. */
export class LineChild {
  readonly #child: ChildProcess
  readonly #options: LineChildOptions
  #lastWrite: Promise<void> = Promise.resolve()
  #stderrText = ''
  #stderrBytes = 0

  constructor(options: LineChildOptions) {
    this.#options = options
    const { command, maxLineBytes, onLine, onExcess, onGone } = options
    const { file, args, env, firstLine } = command
    // Detached: its own process group is killed with it, and a terminal's Ctrl-C does not reach it.
    this.#child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    const frames = new FrameReader(maxLineBytes, onLine, () => onExcess('sent a message past the size limit'))
    this.#child.stdout?.on('data', chunk => frames.push(chunk))
    this.#child.stdout?.on('end', () => this.#onSilence())
    this.#child.stderr?.on('data', chunk => this.#onStderr(chunk))
    // A write to a child that is gone fails here; 'close' reports the end.
    this.#child.stdin?.on('error', () => undefined)
    void this.write(firstLine)
    this.#child.on('error', error => onGone(error.message))
    this.#child.on('exit', () => this.#onExit())
    this.#child.on('close', (code, signal) =>
      onGone(signal === null ? `exited with code ${code}` : `was ended by ${signal}`),
    )
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** The first characters of its standard error, which say why a sandbox did not boot. */
  get stderrText(): string {
    return this.#stderrText
  }

  /** Bytes written to the child that it has not read. */
  get unreadBytes(): number {
    return this.#child.stdin?.writableLength ?? 0
  }

  /** Resolves when the pipe has taken the last line, or the process is gone. */
  get lastWrite(): Promise<void> {
    return this.#lastWrite
  }

  /** Resolves when the pipe has taken the line, or the process is gone. */
  write(line: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#child.stdin?.write(`${line}\n`, () => resolve())
    this.#lastWrite = promise
    return promise
  }

  /** Sends SIGKILL, the only signal that ends a script in native code, and closes the pipes. */
  kill(): void {
    this.#killGroup()
    this.#closePipes()
  }

  #killGroup(): void {
    this.#child.kill('SIGKILL')
    try {
      if (this.pid !== undefined) process.kill(-this.pid, 'SIGKILL')
    } catch {
      // The group is already gone.
    }
  }

  #closePipes(): void {
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
  }

  #onExit(): void {
    this.#killGroup()
    setTimeout(() => this.#closePipes(), drainMs).unref()
  }

  // A child that lives on without output would block its run until the deadline. A child that ends is gone by then.
  #onSilence(): void {
    setTimeout(() => this.#options.onExcess('closed its output'), drainMs).unref()
  }

  #onStderr(chunk: Buffer): void {
    this.#stderrBytes += chunk.length
    if (this.#stderrBytes > maxStderrBytes) this.#options.onExcess('wrote too much to its standard error')
    const room = maxStderrLength - this.#stderrText.length
    if (room > 0) this.#stderrText += chunk.toString('utf8').slice(0, room)
  }
}
