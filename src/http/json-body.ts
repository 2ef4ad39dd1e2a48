import { RostrumError } from '../errors.ts'
import { findJsonError } from '../find-json-error.ts'

// Any spelling of the key, escapes included, must contain one of these.
const suspect = /__proto__|\\u00(?:5f|6f|70|72|74)/i

/** The JSON value of a body; `BAD_USER_INPUT` for what is not UTF-8, not JSON, or has a key `__proto__` anywhere. */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw new RostrumError('BAD_USER_INPUT', 'The body is empty; send a JSON document.')
  const text = decodeBody(body)
  try {
    return JSON.parse(text, suspect.test(text) ? refusePrototypes : undefined)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { position, line, column } = findJsonError(text, error)
    const place = `position ${position} (line ${line}, column ${column})`
    throw new RostrumError('BAD_USER_INPUT', `The body is not valid JSON at ${place}.`, { cause: error })
  }
}

/** The text of a body, which must be UTF-8. */
export function decodeBody(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new RostrumError('BAD_USER_INPUT', 'The body is not UTF-8 text.', { cause })
  }
}

function refusePrototypes(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new RostrumError('BAD_USER_INPUT', 'The body must have no key `__proto__`.')
  return value
}
