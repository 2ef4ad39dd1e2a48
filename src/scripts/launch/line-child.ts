import type { KillReason } from '../kill-causes.ts'
import { FrameReader } from './frames.ts'
import { openForSandbox } from './held-lines.ts'
import type { SandboxCommand } from './sandbox-command.ts'
import { type Child, startChild } from './start-child.ts'

const maxStderrLength = 2_000
// Maximum bytes of standard error. Node and V8 write a few thousand before they die; a child that writes more is
// killed, because it keeps the gateway busy.
const maxStderrBytes = 256 * 1024
// Maximum time to read the pipes of a process that has ended. Another process may keep them open indefinitely.
const drainMs = 250

export interface LineChildOptions {
  readonly command: SandboxCommand
  readonly maxLineBytes: number
  /** The pipe for lines that the child has not sent yet; null if it sends every line at once. */
  readonly heldLines: number | null
  readonly onLine: (line: string) => void
  /** Called if the child misuses its pipes. Kill it then. */
  readonly onExcess: (reason: KillReason) => void
  readonly onGone: (reason: string) => void
}

/** A child process that exchanges lines of text with the gateway. Manages its pipes and detects its end. */
export class LineChild {
  // Null if the process could not be started.
  readonly #child: Child | null
  readonly #options: LineChildOptions
  #lastWrite: Promise<void> = Promise.resolve()
  #stderrText = ''
  #stderrBytes = 0

  constructor(options: LineChildOptions) {
    this.#options = options
    this.#child = openForSandbox(options.heldLines, pipe => this.#start(pipe))
    if (this.#child !== null) this.#listen(this.#child)
    void this.write(options.command.firstLine)
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** The first characters of the child's standard error, which say why a sandbox did not boot, or aborted. */
  get stderrText(): string {
    return this.#stderrText
  }

  /** Number of bytes written to the child that it has not read yet. */
  get unreadBytes(): number {
    return this.#child?.stdin?.writableLength ?? 0
  }

  /** Resolves when the pipe has taken the last line, or the process is gone. */
  get lastWrite(): Promise<void> {
    return this.#lastWrite
  }

  /** Resolves when the pipe has taken the line, or the process is gone. */
  write(line: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const input = this.#child?.stdin
    if (input) input.write(`${line}\n`, () => resolve())
    else resolve()
    this.#lastWrite = promise
    return promise
  }

  /** Sends SIGKILL, the only signal that ends a script in native code, and closes the pipes. */
  kill(): void {
    this.#killGroup()
    this.#closePipes()
  }

  #start(pipe: number | null): Child | null {
    const { command, onGone } = this.#options
    const { file, args, env } = command
    const pipes = pipe === null ? [] : [pipe]
    const mode = pipe === null ? [] : ['holds']
    return startChild(
      { file, args: [...args, ...mode], env, stdio: ['pipe', 'pipe', 'pipe', ...pipes] },
      error => onGone(error.message),
    )
  }

  #listen(child: Child): void {
    const { maxLineBytes, onLine, onExcess, onGone } = this.#options
    const frames = new FrameReader(maxLineBytes, onLine, () => onExcess('sent a message past the size limit'))
    child.stdout?.on('data', chunk => frames.push(chunk))
    child.stdout?.on('end', () => this.#onClosed(child, 'closed its output'))
    child.stderr?.on('data', chunk => this.#onStderr(chunk))
    child.stdin?.on('error', () => this.#onClosed(child, 'closed its input'))
    child.on('exit', () => this.#onExit())
    child.on('close', (code, signal) =>
      onGone(signal === null ? `exited with code ${code}` : `was ended by ${signal}`),
    )
  }

  #killGroup(): void {
    this.#child?.kill('SIGKILL')
    try {
      if (this.pid !== undefined) process.kill(-this.pid, 'SIGKILL')
    } catch {
      // Ignores the error, because the process group is already gone.
    }
  }

  #closePipes(): void {
    this.#child?.stdout?.destroy()
    this.#child?.stderr?.destroy()
  }

  #onExit(): void {
    this.#killGroup()
    setTimeout(() => this.#closePipes(), drainMs).unref()
  }

  // Handles the end of a pipe. A child that lives on without its input or output would block its run until the
  // deadline, so it is killed. A child that is ending has exited by then; a busy gateway learns that only after its
  // timers.
  #onClosed(child: Child, reason: KillReason): void {
    const refuse = () => {
      if (child.exitCode === null && child.signalCode === null) this.#options.onExcess(reason)
    }
    setTimeout(() => setImmediate(refuse), drainMs).unref()
  }

  #onStderr(chunk: Buffer): void {
    this.#stderrBytes += chunk.length
    if (this.#stderrBytes > maxStderrBytes) this.#options.onExcess('wrote too much to its standard error')
    const room = maxStderrLength - this.#stderrText.length
    if (room > 0) this.#stderrText += chunk.toString('utf8').slice(0, room)
  }
}
