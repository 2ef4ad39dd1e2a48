import { RostrumError } from '../errors.ts'
import { findJsonError } from '../find-json-error.ts'
import { isNestedDeeper } from '../is-nested-deeper.ts'

// Any spelling of the key, escapes included, must contain one of these.
const suspect = /__proto__|\\u00(?:5f|6f|70|72|74)/i

const deepestNesting = 2_000

/**
 * The JSON value of a body; `BAD_USER_INPUT` for what is not UTF-8, not JSON, nested more than 2,000 deep, or has a key
 * `__proto__` anywhere.
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw new RostrumError('BAD_USER_INPUT', 'The body is empty; send a JSON document.')
  const text = decodeBody(body)
  if (text.length > deepestNesting && isNestedDeeper(text, deepestNesting)) {
    throw new RostrumError('BAD_USER_INPUT', `The body is nested more than ${deepestNesting} levels deep.`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (suspect.test(text)) refusePrototypes(value)
    return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { position, line, column } = findJsonError(text, error)
    const place = `position ${position} (line ${line}, column ${column})`
    throw new RostrumError('BAD_USER_INPUT', `The body is not valid JSON at ${place}.`, { cause: error })
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The text of a body, which must be UTF-8. */
export function decodeBody(body: Buffer): string {
  try {
    return decoder.decode(body)
  } catch (cause) {
    throw new RostrumError('BAD_USER_INPUT', 'The body is not UTF-8 text.', { cause })
  }
}

// A reviver would do, at ten times the time: it is called for each of a million numbers.
function refusePrototypes(body: unknown): void {
  const left: unknown[] = [body]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, '__proto__')) {
      throw new RostrumError('BAD_USER_INPUT', 'The body must have no key `__proto__`.')
    }
    for (const part of Array.isArray(value) ? value : Object.values(value)) {
      if (typeof part === 'object' && part !== null) left.push(part)
    }
  }
}
