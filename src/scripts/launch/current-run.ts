import type { FromSandbox } from '../protocol.ts'

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
  #hasBegun = false
  #openCalls = 0

  constructor(id: string, listener: SandboxListener) {
    this.id = id
    this.#listener = listener
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** True while `graphql()` calls of the run wait for answers. */
  get waitsForCalls(): boolean {
    return this.#openCalls > 0
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
    if (message.type === 'graphql') this.#openCalls++
    if (message.type !== 'begun') this.#listener.message(message)
  }

  end(reason: string): void {
    this.#listener.gone(reason, this.#hasBegun)
  }
}
