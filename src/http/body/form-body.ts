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
  for (const [name, value] of parseParameters({ text, maxFields, what: 'A form', fatal: true })) {
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
