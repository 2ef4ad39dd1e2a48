import { RostrumError } from '../../errors.ts'
import { JsonScanner } from '../../json/scanner.ts'

export type Variables = Record<string, unknown>

// The realm lets 1,000 levels through. Deeper texts can be parsed, but not be written again.
const maxDepth = 1_100
// As many as a request may have: parsed, the smallest take twenty times their bytes.
const maxValues = 10_000

/** The variables of a script's call as the sandbox sent them: a JSON text, which is read when it is the call's turn and not before. */
export class CallVariables {
  readonly #text: string
  readonly #onNonsense: () => void

  /** `onNonsense` is told where the text is no JSON object: a sandbox of ours would not send it. */
  constructor(text: string, onNonsense: () => void) {
    this.#text = text
    this.#onNonsense = onNonsense
  }

  /** For the call of this gateway; throws where they have too many values, before one is made. */
  parse(): Variables {
    const text = this.#check({ maxDepth, maxValues })
    return JSON.parse(text) as Variables
  }

  /** For another host: a JSON text, of however many values. */
  toText(): string {
    return this.#check({ maxDepth })
  }

  #check(limits: { readonly maxDepth: number; readonly maxValues?: number }): string {
    if (this.#text === 'null') return '{}'
    const scanner = new JsonScanner(limits)
    if (this.#text.startsWith('{') && scanner.write(Buffer.from(this.#text)) && scanner.end())
      return this.#text
    if (scanner.fault === 'values') {
      throw new RostrumError(
        'BAD_USER_INPUT',
        `graphql: the variables have more than ${maxValues} values, all items and fields counted; send less at once`,
      )
    }
    this.#onNonsense()
    throw new RostrumError('BAD_USER_INPUT', 'graphql: the variables are no JSON object')
  }
}
