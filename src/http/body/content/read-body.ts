import { z } from 'zod'
import { type FieldError, RostrumError } from '../../../errors.ts'
import { InexactInteger } from '../../../json/inexact-integer.ts'
import { escapePointer } from '../../../json/read-json.ts'
import { shorten } from '../../../json/surrogates.ts'
import { findUnknownFields } from './unknown-fields.ts'

/** A JSON integer that can be an id, as the text that GraphQL takes. */
export const jsonId = z
  .custom<number>(isId, { error: issue => describeBadJsonId(issue.input) })
  .transform(String)

/** A JSON object with these fields; messages call it `what`. */
export function jsonObject<Fields extends z.ZodRawShape>(fields: Fields, what: string) {
  return z.preprocess(inexactToNumber, z.object(fields, { error: mustBe(what) }))
}

// Zod would take the class for an object without fields.
function inexactToNumber(value: unknown): unknown {
  return value instanceof InexactInteger ? Number(value.text) : value
}

/**
 * Checks a body. Throws `BAD_USER_INPUT` with a JSON pointer to each bad field (contract, section 2), and to each
 * unknown one if it is read strictly (section 9).
 */
export function readBody<T>(shape: z.ZodType<T>, body: unknown, isStrict = false): T {
  const parsed = shape.safeParse(body)
  const unknown = isStrict ? findUnknownFields(shape, body) : []
  if (parsed.success && unknown.length === 0) return parsed.data
  const fields = [...(parsed.error?.issues.map(toFieldError) ?? []), ...unknown]
  const message = fields.map(
    ({ pointer, detail }) => `${pointer === '' ? 'The body' : `\`${pointer.slice(1)}\``} ${detail}`,
  )
  throw new RostrumError('BAD_USER_INPUT', `${message.join('; ')}.`, { fields })
}

/** A value as JSON for a message, cut to 40 characters. */
function describeValue(value: unknown): string {
  if (value instanceof InexactInteger) return `\`${value.text.slice(0, 40)}\``
  // `JSON.parse` makes infinity of a number like 1e400, and `JSON.stringify` makes null of that.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    return 'a number that overflows'
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  const text = JSON.stringify(value) ?? 'undefined'
  return `\`${shorten(text, 40)}\``
}

/** A zod message: what a field must be, or that it is missing. */
export function mustBe(what: string) {
  return (issue: { readonly input?: unknown }) =>
    issue.input === undefined ? 'is required' : `must be ${what}; it is ${describeValue(issue.input)}`
}

function isId(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
}

function describeBadJsonId(value: unknown): string {
  const rule = mustBe(`an integer from 1 to ${Number.MAX_SAFE_INTEGER}`)({ input: value })
  return typeof value === 'string' && /^\d+$/.test(value) ? `${rule}: send it as a number, not as text` : rule
}

function toFieldError(issue: z.core.$ZodIssue): FieldError {
  const pointer = issue.path.map(part => `/${escapePointer(String(part))}`)
  return { pointer: pointer.join(''), detail: issue.message }
}
