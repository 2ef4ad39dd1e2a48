import { RostrumError } from '../../errors.ts'
import { parseParameters } from '../rest/parse-parameters.ts'
import { decodeBody, type HoldMemory, memoryOf } from './json-body.ts'

const mostFields = 100

/** The fields of a form, by name, on an object without prototype; each name once (`BAD_USER_INPUT`). */
export function parseFormBody(
  body: Buffer,
  holdMemory: HoldMemory = () => undefined,
): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  holdMemory(memoryOf(body.length, 0))
  const text = decodeBody(body)
  refuseBadEscapes(text)
  const parsed = parseParameters({ text, most: mostFields, what: 'A form' })
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

// `URLSearchParams` puts a replacement character for bytes that are no UTF-8; the caller shall know instead.
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
