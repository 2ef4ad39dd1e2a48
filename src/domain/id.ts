import { RostrumError } from '../errors.ts'

// Maximum length of a text in a message.
const maxShownCharacters = 40
const maxListedIds = 1_000
const maxNamedIds = 10

const rule = `must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`

/** Reads an id in plain decimal, without sign, leading zeros or exponent. Returns null for anything else. */
export function readId(text: string): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
  return isId(id) ? id : null
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

/** Returns the id. Throws `BAD_USER_INPUT`, which names the value, for a number that is no id. */
export function checkId(id: number, what: string): number {
  if (!isId(id)) throw badId(String(id), what)
  return id
}

/**
 * Returns the ids of a list, each once. Throws `BAD_USER_INPUT` for a number that is no id, and for more than 1,000.
 */
export function checkListedIds(ids: readonly number[], what: string): number[] {
  if (ids.length > maxListedIds) {
    throw new RostrumError(
      'BAD_USER_INPUT',
      `At most \`${maxListedIds}\` ids can be listed at once; \`${ids.length}\` were given. Ask in several calls.`,
    )
  }
  for (const id of ids) checkId(id, what)
  return [...new Set(ids)]
}

/** Returns the rows in the order of the ids. Rows from the cache are in that order already. */
export function inOrderOf<Row extends { readonly id: number }>(ids: readonly number[], rows: Row[]): Row[] {
  if (rows.length === ids.length && rows.every((row, index) => row.id === ids[index])) return rows
  const byId = new Map(rows.map(row => [row.id, row]))
  return ids.flatMap(id => byId.get(id) ?? [])
}

/** Ids are the integers from 1 to 2^53-1 (contract, section 2). */
export function isId(id: number): boolean {
  return Number.isSafeInteger(id) && id >= 1
}

/** The text of a message about a value that is no id. */
export function describeBadId(value: string, what: string): string {
  return `\`${cut(value)}\` is not a valid ${what}: it ${rule}.`
}

function cut(text: string): string {
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text
}

function badIds(values: readonly string[], what: string): RostrumError {
  const [only = ''] = values
  if (values.length === 1) return badId(only, what)
  const named = values.slice(0, maxNamedIds).map(value => `\`${cut(value)}\``)
  const more = values.length > maxNamedIds ? ` and ${values.length - maxNamedIds} more` : ''
  const message = `${named.join(', ')}${more} are not valid ${what}s: each ${rule}.`
  return new RostrumError('BAD_USER_INPUT', message)
}

function badId(value: string, what: string): RostrumError {
  return new RostrumError('BAD_USER_INPUT', describeBadId(value, what))
}
