import { randomUUID } from 'node:crypto'
import { InexactInteger, readNumber } from './inexact-integer.ts'

// Finds candidates for inexact integers, which have at least 16 digits. The digits are in one run, or a point divides
// them and an exponent follows, as in `1.2345678901234567e16`.
const suspect = /\d{16}|\.\d+[eE]\+?\d/g
const ofNumber = new Set('0123456789.eE+-')

// Prefix that marks an inexact integer. It is random, so that no other value begins with it.
const mark = `inexact ${randomUUID()} `

// Prefix of the name that stands for a key that no spelling without escapes can carry.
const keyMark = `key ${randomUUID()} `
const beforeColon = /[ \t\n\r]*:/y

/**
 * Parses like `JSON.parse`, with the right keys. After an object with the key `\`, of any account, V8 may read an
 * escaped key of a similar object, such as `\n` or `\u00e9`, as `\` too: https://github.com/nodejs/node/issues/63785.
 * So a text with escaped keys is parsed again without them.
 */
export function parseText(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const spelled = spellKeys(text)
  return spelled === text ? value : restore(JSON.parse(spelled))
}

/** Parses like `parseText`, but returns an `InexactInteger` for each integer that JavaScript would change. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const spelled = spellKeys(text)
  const inexact = findInexact(spelled)
  return spelled === text && inexact.length === 0
    ? value
    : restore(JSON.parse(replaceAll(spelled, inexact, number => JSON.stringify(mark + number))))
}

// Returns a valid JSON text without escapes in keys.
function spellKeys(text: string): string {
  const found: Place[] = []
  for (let at = text.indexOf('\\'); at !== -1; ) {
    // The first escape of a string: no quote is between it and the start.
    const start = text.lastIndexOf('"', at)
    const end = findEndOfString(text, start)
    beforeColon.lastIndex = end
    if (beforeColon.test(text)) found.push({ start, end })
    at = text.indexOf('\\', end)
  }
  return found.length === 0 ? text : replaceAll(text, found, spellKey)
}

// A text that is no key is always parsed right.
function spellKey(escaped: string): string {
  const name = JSON.parse(escaped) as string
  const spelled = JSON.stringify(name)
  return spelled.includes('\\')
    ? JSON.stringify(keyMark + Buffer.from(name, 'utf16le').toString('hex'))
    : spelled
}

function readKey(key: string): string {
  return key.startsWith(keyMark) ? Buffer.from(key.slice(keyMark.length), 'hex').toString('utf16le') : key
}

interface Place {
  readonly start: number
  readonly end: number
}

// Finds the inexact integers in the text. A reviver of `JSON.parse` would take up to a hundred times as long.
function findInexact(text: string): Place[] {
  const found: Place[] = []
  // End of the last string or number that was examined. Candidates before it are skipped.
  let passed = 0
  let quote = text.indexOf('"')
  for (const { index } of text.matchAll(suspect)) {
    while (quote !== -1 && quote < index) {
      passed = Math.max(passed, findEndOfString(text, quote))
      quote = text.indexOf('"', passed)
    }
    if (index < passed) continue
    const place = findNumber(text, index)
    passed = place.end
    if (readNumber(text.slice(place.start, place.end)) instanceof InexactInteger) found.push(place)
  }
  return found
}

function findEndOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text[before - 1] === '\\') before--
  return (at - before) % 2 === 1
}

function findNumber(text: string, at: number): Place {
  let [start, end] = [at, at + 1]
  while (ofNumber.has(text[start - 1] ?? '')) start--
  while (ofNumber.has(text[end] ?? '')) end++
  return { start, end }
}

function replaceAll(text: string, places: readonly Place[], replace: (part: string) => string): string {
  const parts: string[] = []
  let passed = 0
  for (const { start, end } of places) {
    parts.push(text.slice(passed, start), replace(text.slice(start, end)))
    passed = end
  }
  return parts.join('') + text.slice(passed)
}

function restore(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith(mark)) return new InexactInteger(value.slice(mark.length))
  if (Array.isArray(value)) return value.map(restore)
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, unknown>
  const keys = Object.keys(fields)
  if (keys.some(key => key.startsWith(keyMark)))
    return Object.fromEntries(keys.map(key => [readKey(key), restore(fields[key])]))
  for (const key of keys) fields[key] = restore(fields[key])
  return fields
}
