import { RostrumError } from '../../errors.ts'
import { parseJson } from '../../json/parse-json.ts'
import { JsonScanner } from '../../json/scanner.ts'

export type Variables = Record<string, unknown>

// The realm allows 1,000 levels. Deeper texts can be parsed but not serialized again.
const maxDepth = 1_100
// The same bound as for a request. The smallest values take twenty times their bytes when parsed.
const maxValues = 10_000

/** The variables of a script's call as the sandbox sent them: a JSON text that is parsed in the turn of the call. */
export class CallVariables {
  readonly #text: string
  readonly #onInvalid: () => void

  /** `onInvalid` is called if the text is not a JSON object, which only a compromised sandbox sends. */
  constructor(text: string, onInvalid: () => void) {
    this.#text = text
    this.#onInvalid = onInvalid
  }

  /** Parses the variables for a call of this gateway. Throws if they have too many values, before making any. */
  parse(): Variables {
    const text = this.#check({ maxDepth, maxValues })
    return parseJson(text) as Variables
  }

  /** The JSON text, for a call of another host. It has no limit on values. */
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
        `graphql: the variables have more than ${maxValues} values (items and fields); send fewer in one call`,
      )
    }
    this.#onInvalid()
    throw new RostrumError('BAD_USER_INPUT', 'graphql: the variables are not a JSON object')
  }
}
