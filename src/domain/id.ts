import { RostrumError } from '../errors.ts'
import { shorten } from '../json/surrogates.ts'

// Maximum length of a text in a message.
const maxShownCharacters = 40
const maxNamedIds = 10

const rule = `must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`

/**
 * Reads an id, an integer from 1 to 2^53-1 (contract, section 2), in plain decimal, without sign, leading zeros or
 * exponent. Returns null for anything else.
 */
export function readId(text: string): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(id) ? id : null
}

/** Reads an id like `readId`. Throws `BAD_USER_INPUT`, which names the text, for anything else. */
export function parseId(text: string, what: string): number {
  const id = readId(text)
  if (id === null) throw badId(text, what)
  return id
}

/** Reads an id like `parseId`. Returns null without one. */
export function parseOptionalId(text: string | null | undefined, what: string): number | null {
  return text == null ? null : parseId(text, what)
}

/** Reads the ids of fields like `parseId`. The error names each text that is no id, with a pointer to its field. */
export function parseIdFields<Name extends string>(
  fields: Readonly<Record<Name, { readonly text: string; readonly what: string }>>,
): Record<Name, number> {
  const entries = Object.entries<{ readonly text: string; readonly what: string }>(fields)
  const bad = entries.filter(([, { text }]) => readId(text) === null)
  if (bad.length > 0) {
    const message = bad.map(([, { text, what }]) => describeBadId(text, what)).join(' ')
    const errors = bad.map(([name]) => ({ pointer: `/${name}`, detail: rule }))
    throw new RostrumError('BAD_USER_INPUT', message, { fields: errors })
  }
  return Object.fromEntries(entries.map(([name, { text }]) => [name, Number(text)])) as Record<Name, number>
}

/** Reads the ids of a list like `parseId`. The error names all texts that are no ids, up to ten. */
export function parseIds(texts: readonly string[], what: string): number[] {
  const bad = new Set(texts.filter(text => readId(text) === null))
  if (bad.size > 0) throw badIds([...bad], what)
  return texts.map(Number)
}

/** Returns the message for a text that is no id. */
function describeBadId(text: string, what: string): string {
  return `\`${shorten(text, maxShownCharacters)}\` is not a valid ${what}: it ${rule}.`
}

function badIds(texts: readonly string[], what: string): RostrumError {
  const [only = ''] = texts
  if (texts.length === 1) return badId(only, what)
  const named = texts.slice(0, maxNamedIds).map(text => `\`${shorten(text, maxShownCharacters)}\``)
  const more = texts.length > maxNamedIds ? ` and ${texts.length - maxNamedIds} more` : ''
  const message = `${named.join(', ')}${more} are not valid ${what}s: each ${rule}.`
  return new RostrumError('BAD_USER_INPUT', message)
}

function badId(text: string, what: string): RostrumError {
  return new RostrumError('BAD_USER_INPUT', describeBadId(text, what))
}
