import { RostrumError } from '../../errors.ts'
import { parseJson } from '../../json/parse-json.ts'
import { maxValues } from '../../json/scan-json.ts'
import { JsonScanner } from '../../json/scanner.ts'
import { maxDepth } from '../protocol.ts'

export type Variables = Record<string, unknown>

/** The variables of a script's call: a JSON text from the sandbox, which is parsed only when the call has its turn. */
export class CallVariables {
  readonly #text: string
  readonly #onInvalid: () => void

  /** `onInvalid` is called if the text is not a JSON object. Only a compromised sandbox sends such a text. */
  constructor(text: string, onInvalid: () => void) {
    this.#text = text
    this.#onInvalid = onInvalid
  }

  /** Parses the variables for a call to this gateway. Throws if there are too many values, before any is created. */
  parse(): Variables {
    const text = this.#check({ maxValues })
    return parseJson(text) as Variables
  }

  /** Returns the JSON text, for a call to another host. The number of values is not limited. */
  toText(): string {
    return this.#check()
  }

  #check(limits: { readonly maxValues?: number } = {}): string {
    if (this.#text === 'null') return '{}'
    const scanner = new JsonScanner({ maxDepth, ...limits })
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
