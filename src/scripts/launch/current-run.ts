import type { FromSandbox } from '../protocol.ts'
import { tickMs } from '../resources/every-tick.ts'

// Maximum time in which a ready sandbox does nothing and does not begin its run. One that takes longer was stopped or
// hangs. One that works reads a long document, or has little of a busy processor.
const beginMs = 2_000

type RunMessage = Exclude<FromSandbox, { type: 'ready' }>

/** Receives the messages of a run. `gone` is called at most once, and nothing follows `gone` or an `end` message. */
export interface SandboxListener {
  /** The sandbox has begun the run: its first message of it has come. */
  begun?(): void
  message(message: Exclude<RunMessage, { type: 'begun' }>): void
  /** Called when the process is gone. `hasBegun` is true if it had begun this run: the script may have run. */
  gone(reason: string, hasBegun: boolean): void
}

/** The run that a sandbox has, and whether it has begun it. */
export class CurrentRun {
  readonly id: string
  readonly #listener: SandboxListener
  readonly #onWait: () => void
  #hasBegun = false
  #openCalls = 0
  #waitedMs = 0
  #processorMs: number | null = null

  /** `onWait` is called when the run waits for a call. */
  constructor(id: string, listener: SandboxListener, onWait: () => void = () => undefined) {
    this.id = id
    this.#listener = listener
    this.#onWait = onWait
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** True while `graphql()` calls of the run wait for answers. */
  get waitsForCalls(): boolean {
    return this.#openCalls > 0
  }

  /**
   * Call it every 20 ms while the sandbox is ready. Returns true if the sandbox takes too long to begin the run.
   * `readProcessorMs` returns its processor time; null if unknown.
   */
  isOverdue(readProcessorMs: () => number | null): boolean {
    if (this.#hasBegun) return false
    const processorMs = readProcessorMs()
    this.#waitedMs = processorMs === this.#processorMs ? this.#waitedMs + tickMs : 0
    this.#processorMs = processorMs
    return this.#waitedMs > beginMs
  }

  answerCall(): void {
    this.#openCalls--
  }

  begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#listener.begun?.()
  }

  /** Passes a message on. Any message says that the run has begun. */
  deliver(message: RunMessage): void {
    this.begin()
    if (message.type !== 'begun') this.#listener.message(message)
    if (message.type !== 'graphql') return
    this.#openCalls++
    this.#onWait()
  }

  end(reason: string): void {
    this.#listener.gone(reason, this.#hasBegun)
  }
}
