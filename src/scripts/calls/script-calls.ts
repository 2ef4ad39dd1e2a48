import type { RunLimits } from '../../config.ts'
import { RostrumError } from '../../errors.ts'
import type { SandboxProcess } from '../launch/sandbox-process.ts'
import type { GraphqlMessage } from '../protocol.ts'
import { RefusedCall, type RunCall } from './answer-call.ts'
import { CallVariables } from './call-variables.ts'

/** Answers one call with a JSON text. If it rejects, the script's promise rejects with the same message. */
export type AnswerCall = (call: NumberedCall) => Promise<string>

interface NumberedCall extends Pick<RunCall, 'query' | 'variables' | 'url' | 'untilRead'> {
  /** The number of the call in its run, from 1. */
  readonly id: number
}

export interface ScriptCallsOptions {
  readonly limits: RunLimits
  readonly answer: AnswerCall
}

/** The `graphql()` calls of one run: limited in number and concurrency, and dropped when the run ends. */
export class ScriptCalls {
  readonly #options: ScriptCallsOptions
  readonly #waiting: (() => void)[] = []
  #count = 0
  #active = 0
  #ended = false

  constructor(options: ScriptCallsOptions) {
    this.#options = options
  }

  /** Starts or queues a call. An honest sandbox numbers its calls from 1 and keeps the limits; any other is killed. */
  take(message: GraphqlMessage, sandbox: SandboxProcess): void {
    const { query, variables, url } = message
    if (query.length + variables.length + (url?.length ?? 0) > this.#options.limits.graphqlCallBytes) {
      return sandbox.kill('sent an invalid `graphql` call')
    }
    if (message.call !== this.#count + 1 || message.call > this.#options.limits.graphqlCalls) {
      return sandbox.kill('called `graphql` out of order or past the limit')
    }
    this.#count++
    const { graphqlCallsAtOnce: atOnce } = this.#options.limits
    const start = () => void this.#perform(message, sandbox)
    if (this.#active < atOnce) return start()
    // Up to `atOnce` calls may wait: a sandbox may call again once it has read an answer, before this process sees that
    // the answer was written.
    if (this.#waiting.length >= atOnce) return sandbox.kill('made too many `graphql` calls at once')
    this.#waiting.push(start)
  }

  /** Drops the waiting calls and all answers still to come. */
  end(): void {
    this.#ended = true
    this.#waiting.length = 0
  }

  async #perform(message: GraphqlMessage, sandbox: SandboxProcess): Promise<void> {
    this.#active++
    const { run, call, query, url } = message
    const onInvalid = () => sandbox.kill('sent an invalid `graphql` call')
    const variables = new CallVariables(message.variables, onInvalid)
    try {
      const text = await this.#options.answer({
        id: call,
        query,
        variables,
        url,
        untilRead: () => sandbox.untilRead(),
      })
      if (!this.#ended) await sandbox.answer({ type: 'answer', run, call, ok: true, text })
    } catch (error) {
      const text = error instanceof Error ? error.message : 'The call failed'
      const code = error instanceof RostrumError || error instanceof RefusedCall ? error.code : null
      const more = code === null ? {} : { code }
      if (!this.#ended) await sandbox.answer({ type: 'answer', run, call, ok: false, text, ...more })
    } finally {
      this.#active--
      this.#waiting.shift()?.()
    }
  }
}
