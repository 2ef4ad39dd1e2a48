import { randomUUID } from 'node:crypto'
import {
  type AnswerMessage,
  type Ending,
  type FromSandbox,
  type HeldMessage,
  type LogMessage,
  outOfMemory,
  outOfTime,
  type RunLimits,
  type RunMessage,
  type ScriptError,
  tooLarge,
} from '../scripts/protocol.ts'
import type { RealmSetup } from './realm/run-script.ts'
import type { RealmIsolate } from './realm-isolate.ts'
import { noOutcome, syntaxError, unhandledRejection } from './script-errors.ts'

/** How messages reach the gateway: at once, or within some milliseconds, with those that follow. */
export interface Channel {
  send(message: FromSandbox): void
  hold(message: HeldMessage): void
}

export interface ScriptRunParts {
  readonly message: RunMessage
  readonly limits: RunLimits
  readonly isolate: RealmIsolate
  readonly channel: Channel
  /** Each method of `Platform` as JSON. The realm asks for those that its script calls. */
  readonly platformMethods: readonly string[]
  /** True if the isolate will serve its account again. A run then leaves it by a throw instead of by disposal. */
  readonly reusesIsolate: boolean
  /** Called once, when the run has ended and the script has left its isolate. */
  readonly onLeft: (ending: Ending) => void
}

/**
 * One script in one isolate. The first cause of an ending wins and is sent at once. Anything the script does later is
 * ignored.
 *
 *   started ── exit, fail, thrown error, nothing pending ──▶ ended, clean or not
 *       └──── deadline, memory ──▶ ended, the gateway kills this process
 */
export class ScriptRun {
  readonly #parts: ScriptRunParts
  readonly #deadline: number
  #clock: NodeJS.Timeout | null = null
  #ending: Ending | null = null
  #isEntered = false
  #mayHaveLeftTraces = false
  #pendingCalls = 0
  #unhandled: Error | null = null

  constructor(parts: ScriptRunParts) {
    this.#parts = parts
    this.#deadline = performance.now() + parts.message.timeoutMs
    parts.isolate.listen((kind, ...parts) => this.#onPost(kind, parts.map(String)))
  }

  get id(): string {
    return this.#parts.message.run
  }

  /** True if no `graphql()` call waits for an answer. Then the script cannot continue. */
  get isSettled(): boolean {
    return this.#pendingCalls === 0
  }

  /**
   * True if the script may have left something in its isolate, beside its realm. If V8 stopped it at its deadline, its
   * microtasks can be left. If V8 read an object that was thrown, getters of it ran in a context that all realms share.
   */
  get mayHaveLeftTraces(): boolean {
    return this.#mayHaveLeftTraces
  }

  /** Starts the script. Returns when it has ended, or waits for an answer. */
  execute(): void {
    const { message, isolate, reusesIsolate } = this.#parts
    const { source, payload, options, accountCode, requestContext, compilesOnly, exitsData } = message
    const settings: RealmSetup = {
      file: randomUUID(),
      accountCode,
      requestContext,
      reusesIsolate,
      compilesOnly,
      exitsData,
    }
    const setup = JSON.stringify(settings)
    this.#enter(timeoutMs => {
      const syntaxError = isolate.start([source, payload, options, setup], timeoutMs)
      if (syntaxError !== '') this.#endWithSyntaxError(syntaxError)
    })
  }

  /** Passes an answer to the script. Returns when it has ended, or waits for another one. */
  answer({ call, ok, text, code = '' }: AnswerMessage): void {
    if (this.#ending !== null) return
    // A call shares the deadline of its run. When it fails for that reason, the run is out of time too.
    if (performance.now() >= this.#deadline) return this.#endByDeadline()
    this.#pendingCalls--
    this.#enter(timeoutMs => this.#parts.isolate.resolveCall([call, ok, text, code], timeoutMs))
  }

  // Enters the isolate. Every entry goes through here: it is timed, its failures become endings, and afterwards the run
  // ends if the script has nothing left to wait for.
  #enter(call: (timeoutMs: number) => void): void {
    this.#isEntered = true
    try {
      call(Math.max(1, Math.ceil(this.#deadline - performance.now())))
    } catch (error) {
      this.#onCallFailure(error)
    }
    this.#isEntered = false
    if (this.#ending !== null) return this.#parts.onLeft(this.#ending)
    if (!this.isSettled) return this.#startClock()
    this.#fail(this.#unhandled === null ? noOutcome : unhandledRejection(this.#unhandled))
  }

  // The isolate's own timeout ends a script that computes; this clock ends one that waits.
  #startClock(): void {
    this.#clock ??= setTimeout(() => this.#endByDeadline(), this.#deadline - performance.now())
  }

  #endByDeadline(): void {
    this.#fail(outOfTime(this.#parts.limits.timeoutMs))
  }

  // Handles a post of the script, which is on the stack. It must be quick and never throw.
  #onPost(kind: string, parts: string[]): unknown {
    const { isolate, channel, platformMethods } = this.#parts
    if (this.#ending !== null) return isolate.dispose()
    const [first = '', second = '', third = '', fourth = ''] = parts
    const run = this.id
    switch (kind) {
      case 'log':
        return channel.hold({
          type: 'log',
          at: Date.now(),
          run,
          level: first as LogMessage['level'],
          data: second,
        })
      case 'graphql':
        this.#pendingCalls++
        return channel.send({
          type: 'graphql',
          run,
          call: Number(first),
          query: second,
          variables: third,
          url: fourth === '' ? null : fourth,
        })
      case 'guid':
        return randomUUID()
      case 'method':
        return platformMethods[Number(first)]
      case 'cut':
        return channel.hold({
          type: 'cut',
          run,
          entries: Number(first),
          characters: Number(second),
          isFinal: third === 'final',
        })
      case 'exit':
        return this.#endWithin(Buffer.byteLength(first), { kind: 'exit', payload: first }, 'result')
      case 'fail':
        // Counts the bytes of the message as JSON, where a control character takes six.
        return this.#endWithin(
          Buffer.byteLength(JSON.stringify(first)),
          { kind: 'fail', message: first },
          'message',
        )
      case 'error':
        return this.#fail({ code: first, ...JSON.parse(second) } as ScriptError)
      default:
        return undefined
    }
  }

  // Ends the run, or fails it if `bytes` is over the limit. The realm could only count characters.
  #endWithin(bytes: number, ending: Ending, what: 'result' | 'message'): void {
    const { resultBytes } = this.#parts.limits
    if (bytes > resultBytes) this.#fail(tooLarge(what, resultBytes))
    else this.#end(ending)
  }

  // Handles a failed entry. Unhandled rejections arrive here too, with any value, even one that imitates a message of
  // V8. So the state of the isolate and the clock decide, not the text. A rejection does not end the run, because a
  // handler may follow; it is reported if nothing else ends the run.
  #onCallFailure(error: unknown): void {
    // A timeout is an object too, but the throw of an ending is a text.
    if (typeof error === 'object') this.#mayHaveLeftTraces = true
    if (this.#parts.isolate.isDisposed) this.#fail(outOfMemory)
    else if (performance.now() >= this.#deadline) this.#endByDeadline()
    else this.#unhandled ??= error instanceof Error ? error : new Error(String(error))
  }

  #endWithSyntaxError(message: string): void {
    const { isolate, message: run } = this.#parts
    this.#fail(syntaxError(message, run.source, isolate.locateSyntaxError(run.source)))
  }

  #fail(error: ScriptError): void {
    this.#end({ kind: 'error', error })
  }

  // Disposing of the isolate stops a script that is on the stack.
  #end(ending: Ending): void {
    if (this.#ending !== null) return
    this.#ending = ending
    if (this.#clock !== null) clearTimeout(this.#clock)
    const { channel, isolate, reusesIsolate, onLeft } = this.#parts
    channel.send({ type: 'end', run: this.id, ending })
    if (!this.#isEntered) onLeft(ending)
    else if (!reusesIsolate || ending.kind === 'error') isolate.dispose()
  }
}
