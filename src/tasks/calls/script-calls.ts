import type { RunLimits } from '../../config.ts'
import type { SandboxProcess } from '../launch/sandbox-process.ts'
import type { GraphqlMessage } from '../protocol.ts'
import { CallVariables } from './call-variables.ts'

/** Answers one call with a JSON text; a rejection's message is what the script's promise rejects with. */
export type AnswerCall = (call: {
  query: string
  variables: CallVariables
  url: string | null
  /** Null where the sandbox has read the answers that it was sent, else resolves when it has. */
  untilRead(): Promise<void> | null
}) => Promise<string>

export interface ScriptCallsOptions {
  readonly limits: RunLimits
  readonly answer: AnswerCall
}

/** The `graphql()` calls of one run: counted, a few at once, and dropped when the run ends. */
export class ScriptCalls {
  readonly #options: ScriptCallsOptions
  readonly #waiting: (() => void)[] = []
  #count = 0
  #active = 0
  #ended = false

  constructor(options: ScriptCallsOptions) {
    this.#options = options
  }

  /** The sandbox numbers its calls 1, 2, 3 … and keeps the limits; one that does otherwise is not ours any more. */
  take(message: GraphqlMessage, sandbox: SandboxProcess): void {
    const { query, variables, url } = message
    if (query.length + variables.length + (url?.length ?? 0) > this.#options.limits.graphqlCallBytes) {
      return sandbox.kill('called `graphql` with what is no call')
    }
    if (message.call !== this.#count + 1 || message.call > this.#options.limits.graphqlCalls) {
      return sandbox.kill('called `graphql` out of order or past the limit')
    }
    this.#count++
    const { graphqlCallsAtOnce: atOnce } = this.#options.limits
    const start = () => void this.#perform(message, sandbox)
    if (this.#active < atOnce) return start()
    // It makes one when it has read an answer, which may be before we hear that the pipe took it: never more than so many.
    if (this.#waiting.length >= atOnce) return sandbox.kill('called `graphql` more often at once than it may')
    this.#waiting.push(start)
  }

  /** What waits is dropped, and answers that still come go nowhere. */
  end(): void {
    this.#ended = true
    this.#waiting.length = 0
  }

  async #perform(message: GraphqlMessage, sandbox: SandboxProcess): Promise<void> {
    this.#active++
    const { run, call, query, url } = message
    const onNonsense = () => sandbox.kill('called `graphql` with what is no call')
    const variables = new CallVariables(message.variables, onNonsense)
    try {
      const text = await this.#options.answer({
        query,
        variables,
        url,
        untilRead: () => sandbox.untilRead(),
      })
      if (!this.#ended) await sandbox.answer({ type: 'answer', run, call, ok: true, text })
    } catch (error) {
      const text = error instanceof Error ? error.message : 'The call failed'
      if (!this.#ended) await sandbox.answer({ type: 'answer', run, call, ok: false, text })
    } finally {
      this.#active--
      this.#waiting.shift()?.()
    }
  }
}
