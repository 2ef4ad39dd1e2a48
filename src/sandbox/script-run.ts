import { randomUUID } from 'node:crypto'
import type {
  AnswerMessage,
  Ending,
  FromSandbox,
  LogMessage,
  RunLimits,
  RunMessage,
  ScriptError,
} from '../scripts/protocol.ts'
import type { RealmSetup } from './realm/run-script.ts'
import type { RealmIsolate } from './realm-isolate.ts'
import {
  noOutcome,
  outOfMemory,
  outOfProcessorTime,
  outOfTime,
  syntaxError,
  tooLarge,
  unhandledRejection,
  uninterruptible,
} from './script-errors.ts'

const watchEveryMs = 20

/** How messages reach the gateway: at once, or within some milliseconds, with those that follow. */
export interface Channel {
  send(message: FromSandbox): void
  hold(message: FromSandbox): void
}

export interface ScriptRunParts {
  readonly message: RunMessage
  readonly limits: RunLimits
  readonly isolate: RealmIsolate
  readonly channel: Channel
  /** True if the isolate will serve its account again. A run then leaves it by a throw instead of by disposal. */
  readonly reusesIsolate: boolean
}

/**
 * One script in one isolate. The first cause of an ending wins and is sent at once. Anything the script does later is
 * ignored.
 *
 *   started ── exit, fail, thrown error, nothing pending ──▶ ended, clean or not
 *       └──── deadline, processor time, memory, catastrophe ──▶ ended, the gateway kills this process
 */
export class ScriptRun {
  readonly #message: RunMessage
  readonly #limits: RunLimits
  readonly #isolate: RealmIsolate
  readonly #channel: Channel
  readonly #reusesIsolate: boolean
  readonly #deadline: number
  readonly #processorAtStart = process.cpuUsage()
  readonly #watch: NodeJS.Timeout
  readonly #done = Promise.withResolvers<Ending>()
  #ended = false
  #entries = 0
  #onQuiet: () => void = () => undefined
  #pendingCalls = 0
  #unhandled: Error | null = null

  constructor({ message, limits, isolate, channel, reusesIsolate }: ScriptRunParts) {
    this.#message = message
    this.#limits = limits
    this.#isolate = isolate
    this.#channel = channel
    this.#reusesIsolate = reusesIsolate
    this.#deadline = performance.now() + message.timeoutMs
    this.#watch = setInterval(() => this.#checkBudgets(), watchEveryMs)
    isolate.listen(
      (kind, ...parts) => this.#onPost(kind, parts.map(String)),
      text => this.#onCatastrophe(text),
    )
  }

  get id(): string {
    return this.#message.run
  }

  /** True if every call into the isolate has returned. Then no code of the script is running. */
  get isQuiet(): boolean {
    return this.#entries === 0
  }

  /** True if the run is quiet and no `graphql()` call waits for an answer. Then the script cannot continue. */
  get isSettled(): boolean {
    return this.isQuiet && this.#pendingCalls === 0
  }

  /** Waits until the script leaves its isolate. Resolves with true if that happens within `withinMs`. */
  async becomesQuiet(withinMs: number): Promise<boolean> {
    if (this.isQuiet) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), withinMs)
    this.#onQuiet = () => resolve(true)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** Executes the script. Resolves when the run has ended and its `end` message is sent. */
  execute(): Promise<Ending> {
    const { source, payload, options, accountCode, requestContext, compilesOnly, exitsData } = this.#message
    const reusesIsolate = this.#reusesIsolate
    const settings: RealmSetup = {
      file: randomUUID(),
      accountCode,
      requestContext,
      reusesIsolate,
      compilesOnly,
      exitsData,
    }
    const setup = JSON.stringify(settings)
    // Do not await this call: a script that has called `exit` sleeps inside it until its isolate is disposed of.
    void this.#enter(async timeoutMs => {
      const syntaxError = await this.#isolate.start([source, payload, options, setup], timeoutMs)
      if (syntaxError !== '') await this.#endWithSyntaxError(syntaxError)
    })
    return this.#done.promise
  }

  async answer({ call, ok, text, code = '' }: AnswerMessage): Promise<void> {
    if (this.#ended) return
    // A call shares the deadline of its run. When it fails for that reason, the run is out of time too.
    if (performance.now() >= this.#deadline) return this.#fail(outOfTime(this.#limits.timeoutMs))
    this.#pendingCalls--
    await this.#enter(timeoutMs => this.#isolate.resolveCall([call, ok, text, code], timeoutMs))
  }

  // Enters the isolate. Every entry goes through here: it is timed, its failures become endings, and afterwards the run
  // ends if the script has nothing left to wait for.
  async #enter(call: (timeoutMs: number) => Promise<void>): Promise<void> {
    this.#entries++
    try {
      await call(Math.max(1, Math.ceil(this.#deadline - performance.now())))
    } catch (error) {
      this.#onCallFailure(error)
    } finally {
      this.#entries--
      if (this.isQuiet) this.#onQuiet()
    }
    if (this.#ended || !this.isSettled) return
    this.#fail(this.#unhandled === null ? noOutcome : unhandledRejection(this.#unhandled))
  }

  // Handles a post of the isolate, whose thread is blocked meanwhile. It must be quick and never throw.
  #onPost(kind: string, parts: string[]): unknown {
    if (this.#ended) return undefined
    const [first = '', second = '', third = '', fourth = ''] = parts
    const run = this.id
    switch (kind) {
      case 'log':
        return this.#channel.hold({
          type: 'log',
          at: Date.now(),
          run,
          level: first as LogMessage['level'],
          data: second,
        })
      case 'graphql':
        this.#pendingCalls++
        return this.#channel.send({
          type: 'graphql',
          run,
          call: Number(first),
          query: second,
          variables: third,
          url: fourth === '' ? null : fourth,
        })
      case 'guid':
        return randomUUID()
      case 'cut':
        return this.#channel.hold({
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
  #endWithin(bytes: number, ending: Ending, what: string): void {
    const { resultBytes } = this.#limits
    if (bytes > resultBytes) this.#fail(tooLarge(what, resultBytes))
    else this.#end(ending)
  }

  #checkBudgets(): void {
    const { user, system } = process.cpuUsage(this.#processorAtStart)
    const { timeoutMs, cpuMs } = this.#limits
    if (performance.now() > this.#deadline) this.#fail(outOfTime(timeoutMs))
    else if (user + system > cpuMs * 1000) this.#fail(outOfProcessorTime(cpuMs))
    else if (process.memoryUsage.rss() > this.#message.residentBytes) this.#fail(outOfMemory)
  }

  // Handles a failed entry. Unhandled rejections arrive here too, with any value, even one that imitates a message of
  // V8. So the state of the isolate and the clock decide, not the text. A rejection does not end the run, because a
  // handler may follow; it is reported if nothing else ends the run.
  #onCallFailure(error: unknown): void {
    if (this.#isolate.isDisposed) this.#fail(outOfMemory)
    else if (performance.now() >= this.#deadline) this.#fail(outOfTime(this.#limits.timeoutMs))
    else this.#unhandled ??= error instanceof Error ? error : new Error(String(error))
  }

  #onCatastrophe(message: string): void {
    this.#fail(/memory/i.test(message) ? outOfMemory : uninterruptible)
  }

  async #endWithSyntaxError(message: string): Promise<void> {
    const { source } = this.#message
    this.#fail(syntaxError(message, source, await this.#isolate.locateSyntaxError(source)))
  }

  #fail(error: ScriptError): void {
    this.#end({ kind: 'error', error })
  }

  #end(ending: Ending): void {
    if (this.#ended) return
    this.#ended = true
    clearInterval(this.#watch)
    this.#channel.send({ type: 'end', run: this.id, ending })
    this.#done.resolve(ending)
  }
}
