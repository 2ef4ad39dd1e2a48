import { RostrumError } from '../../errors.ts'
import { parseParameters } from '../rest/parse-parameters.ts'
import { decodeBody, type HoldMemory, memoryOf } from './json-body.ts'

const maxFields = 100

/** Parses the fields of a form into an object without prototype. Throws `BAD_USER_INPUT` if a name occurs twice. */
export function parseFormBody(
  body: Buffer,
  holdMemory: HoldMemory = () => undefined,
): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  holdMemory(memoryOf(body.length, 0))
  const text = decodeBody(body)
  refuseBadEscapes(text)
  const parsed = parseParameters({ text, maxFields, what: 'A form' })
  for (const [name, value] of parsed) {
    if (name in fields) {
      throw new RostrumError(
        'BAD_USER_INPUT',
        `The form has the field \`${name.slice(0, 100)}\` more than once.`,
      )
    }
    fields[name] = value
  }
  return fields
}

// `URLSearchParams` would replace bytes that are not UTF-8 without an error.
function refuseBadEscapes(text: string): void {
  try {
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch (cause) {
    throw new RostrumError(
      'BAD_USER_INPUT',
      'The form holds percent-encoded bytes that are not UTF-8 text.',
      { cause },
    )
  }
}
