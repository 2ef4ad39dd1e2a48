import type { GraphqlMessage } from './protocol.ts'
import { readSandboxJson } from './read-sandbox-json.ts'
import type { SandboxProcess } from './sandbox-process.ts'

type Variables = Record<string, unknown>

/** Answers one call with a JSON text; a rejection's message is what the script's promise rejects with. */
export type AnswerCall = (call: {
  query: string
  variables: Variables
  url: string | null
}) => Promise<string>

export interface ScriptCallsOptions {
  readonly most: number
  readonly atOnce: number
  /** Of one call's query, variables and url together. */
  readonly mostCharacters: number
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
    const variables = this.#readVariables(message)
    if (variables === null) return sandbox.kill('called `graphql` with what is no call')
    if (message.call !== this.#count + 1 || message.call > this.#options.most) {
      return sandbox.kill('called `graphql` out of order or past the limit')
    }
    this.#count++
    const { atOnce } = this.#options
    const start = () => void this.#perform(message, variables, sandbox)
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

  async #perform(message: GraphqlMessage, variables: Variables, sandbox: SandboxProcess): Promise<void> {
    this.#active++
    const { run, call } = message
    try {
      const text = await this.#options.answer({ query: message.query, variables, url: message.url })
      if (!this.#ended) await sandbox.answer({ type: 'answer', run, call, ok: true, text })
    } catch (error) {
      const text = error instanceof Error ? error.message : 'The call failed'
      if (!this.#ended) await sandbox.answer({ type: 'answer', run, call, ok: false, text })
    } finally {
      this.#active--
      this.#waiting.shift()?.()
    }
  }

  #readVariables({ query, variables, url }: GraphqlMessage): Variables | null {
    const characters = query.length + variables.length + (url?.length ?? 0)
    if (characters > this.#options.mostCharacters) return null
    const value = variables === 'null' ? {} : readSandboxJson(variables)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Variables) : null
  }
}
