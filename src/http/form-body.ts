import { RostrumError } from '../errors.ts'
import { decodeBody } from './json-body.ts'

const mostFields = 100

/** The fields of a form, by name, on an object without prototype; each name once (`BAD_USER_INPUT`). */
export function parseFormBody(body: Buffer): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  const parsed = new URLSearchParams(decodeBody(body))
  if (parsed.size > mostFields) {
    throw new RostrumError(
      'BAD_USER_INPUT',
      `A form can have at most ${mostFields} fields; this has ${parsed.size}.`,
    )
  }
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
