import { type ChildProcess, spawn } from 'node:child_process'
import { FrameReader } from './frames.ts'
import type { SandboxCommand } from './sandbox-command.ts'

const longestComplaint = 2_000
// Node and V8 write some thousand bytes before they die; one that goes on keeps the gateway busy with reading.
const mostErrorBytes = 256 * 1024
// What is still in the pipes of a process that is gone is read within this: somebody else may hold them open for ever.
const lastWordsMs = 250

export interface LineChildOptions {
  readonly command: SandboxCommand
  readonly longestLineBytes: number
  readonly onLine: (line: string) => void
  /** It went beyond what a child may do with its pipes, and ought to be killed. */
  readonly onExcess: (reason: string) => void
  readonly onGone: (reason: string) => void
}

/** A child process that is spoken to in lines: its pipes and its death, whatever it does with either. */
export class LineChild {
  readonly #child: ChildProcess
  readonly #options: LineChildOptions
  #lastWrite: Promise<void> = Promise.resolve()
  #complaint = ''
  #errorBytes = 0

  constructor(options: LineChildOptions) {
    this.#options = options
    const { command, longestLineBytes, onLine, onExcess, onGone } = options
    const { file, args, env, firstLine } = command
    // Detached: a group of its own, which ends with it whatever it may have started, and which no terminal's Ctrl-C reaches.
    this.#child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    const frames = new FrameReader(longestLineBytes, onLine, () =>
      onExcess('sent a message past the size limit'),
    )
    this.#child.stdout?.on('data', chunk => frames.push(chunk))
    this.#child.stdout?.on('end', () => this.#onSilence())
    this.#child.stderr?.on('data', chunk => this.#onError(chunk))
    // A write to a child that is gone fails here; that it is gone is told by 'close'.
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

  /** What it first wrote to standard error: says why a sandbox did not boot. */
  get complaint(): string {
    return this.#complaint
  }

  /** Bytes written to it that it has not read. */
  get unreadBytes(): number {
    return this.#child.stdin?.writableLength ?? 0
  }

  /** Resolves when the pipe has taken the last line, and so all before, or the process is gone. */
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

  /** SIGKILL: the only signal that a script in native code cannot outlast. Nothing that it said is heard from here on. */
  kill(): void {
    this.#killGroup()
    this.#closePipes()
  }

  #killGroup(): void {
    this.#child.kill('SIGKILL')
    try {
      if (this.pid !== undefined) process.kill(-this.pid, 'SIGKILL')
    } catch {
      // It was alone, and is gone.
    }
  }

  #closePipes(): void {
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
  }

  #onExit(): void {
    this.#killGroup()
    setTimeout(() => this.#closePipes(), lastWordsMs).unref()
  }

  // One that lives on without a word would keep its run, or the next, until the deadline. One that ends is gone by then.
  #onSilence(): void {
    setTimeout(() => this.#options.onExcess('closed its output'), lastWordsMs).unref()
  }

  #onError(chunk: Buffer): void {
    this.#errorBytes += chunk.length
    if (this.#errorBytes > mostErrorBytes) this.#options.onExcess('wrote too much to its standard error')
    const room = longestComplaint - this.#complaint.length
    if (room > 0) this.#complaint += chunk.toString('utf8').slice(0, room)
  }
}
