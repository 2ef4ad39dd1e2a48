import type { ReactiveControllerHost } from 'lit'
import type { Fields } from '../draft/link.ts'
import { createEditorHelp } from './editor-help.ts'
import type { Problem } from './protocol.ts'
import { TypeService, UncheckedError } from './type-service.ts'

const checkAfterMs = 250

/** Checks the script while it is written. */
export class TypeController {
  /** Says whether the types are there. */
  note = 'Loading types'
  problems: readonly Problem[] = []
  #fields: Fields = { script: '', input: '', options: '' }
  #timer: ReturnType<typeof setTimeout> | null = null
  readonly #host: ReactiveControllerHost
  readonly #service = new TypeService()

  /** Completion and descriptions, for the editor of the script. */
  readonly extras = createEditorHelp((kind, question) =>
    this.#service.ask(kind, { input: this.#fields.input, ...question }),
  )

  constructor(host: ReactiveControllerHost) {
    this.#host = host
  }

  /** Checks the script soon, unless it changes again before. */
  check(fields: Fields): void {
    this.#fields = fields
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#check(fields), checkAfterMs)
  }

  async #check(fields: Fields): Promise<void> {
    try {
      const problems = await this.#service.ask('check', fields)
      // A newer question is on its way.
      if (fields !== this.#fields) return
      this.note = 'Types ready'
      this.problems = problems
    } catch (error) {
      if (fields !== this.#fields) return
      this.note =
        error instanceof UncheckedError ? 'Types cannot check this script' : 'Types could not be loaded'
      this.problems = []
    }
    this.#host.requestUpdate()
  }
}
