import { type FieldError, invalidInput } from '../errors.ts'
import { InexactInteger } from './inexact-integer.ts'
import { shorten } from './surrogates.ts'

/** A JSON value whose objects have no prototype, so that `constructor` and `toString` are ordinary keys. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** JSON that a caller sent. Only `readJson` may return its value. */
export interface GivenJson {
  readonly unread: unique symbol
}

interface ReadOptions {
  /** The JSON pointer of the value in the input, such as `/data`. */
  readonly pointer: string
  /** Maximum levels of nested objects and lists. The value itself is level 1. */
  readonly maxLevels?: number
}

// Default maximum of levels, as in the result of a script. The functions below call each other four times for a level,
// and the stack has no room for 2,000.
const usualMaxLevels = 1_000

/**
 * Copies a caller's value into objects without prototype (contract, section 7). Throws `BAD_USER_INPUT` with a pointer
 * for a key `__proto__`, for an integer that JavaScript would change, for a number that overflows, and past
 * `maxLevels`.
 */
export function readJson(given: GivenJson, { pointer, maxLevels = usualMaxLevels }: ReadOptions): JsonValue {
  function readObject(value: object, level: number): JsonValue {
    if (value instanceof InexactInteger) throw new Refused(describeInexact(value))
    if (level > maxLevels) throw new Refused(`is nested too deeply: at most ${maxLevels} levels are allowed`)
    if (Array.isArray(value)) return readList(value, level)
    const read: Record<string, JsonValue> = Object.create(null)
    for (const key of Object.keys(value)) {
      if (key === '__proto__') throw new Refused('is a key that is not allowed').within(key)
      read[key] = readPart((value as Record<string, unknown>)[key], key, level)
    }
    return read
  }

  function readList(value: readonly unknown[], level: number): JsonValue {
    const read = new Array<JsonValue>(value.length)
    for (let index = 0; index < value.length; index++) read[index] = readPart(value[index], index, level)
    return read
  }

  function readPart(value: unknown, key: string | number, level: number): JsonValue {
    if (isPlain(value)) return value
    try {
      return readValue(value, level + 1)
    } catch (error) {
      throw error instanceof Refused ? error.within(key) : error
    }
  }

  function readValue(value: unknown, level: number): JsonValue {
    if (typeof value === 'number') return refuseOverflow(value)
    if (typeof value === 'object' && value !== null) return readObject(value, level)
    return value as JsonValue
  }

  try {
    return readValue(given, 1)
  } catch (error) {
    throw error instanceof Refused ? invalidInput([error.below(pointer)]) : error
  }
}

function describeInexact({ text }: InexactInteger): string {
  return `is an integer that would be stored as \`${Number(text)}\`; send it as text`
}

function refuseOverflow(value: number): number {
  if (Number.isFinite(value)) return value
  throw new Refused('is a number that overflows; send it as text')
}

/**
 * Says what is wrong with one value. The pointer is built only while the error is thrown upwards, so that good values
 * cost nothing.
 */
class Refused {
  readonly #detail: string
  readonly #path: (string | number)[] = []

  constructor(detail: string) {
    this.#detail = detail
  }

  within(key: string | number): this {
    this.#path.push(key)
    return this
  }

  below(pointer: string): FieldError {
    const parts = this.#path.toReversed().map(part => `/${escapePointer(String(part))}`)
    return { pointer: pointer + parts.join(''), detail: this.#detail }
  }
}

// True for values that are copied as they are. Most values are, so this comes first.
function isPlain(value: unknown): value is JsonValue {
  return typeof value === 'string' || Number.isFinite(value) || typeof value === 'boolean' || value === null
}

const maxFoundKeys = 10
const maxNameCharacters = 100

/**
 * Returns the JSON pointers to the first ten keys `__proto__` of a parsed value, with long names cut. It makes nothing
 * for the other values, of which a body of 2 MiB may have a million.
 */
export function findProtoKeys(value: unknown): string[] {
  const found: string[] = []
  const path: (string | number)[] = []

  function visit(whole: unknown): void {
    if (typeof whole !== 'object' || whole === null) return
    for (const key of Array.isArray(whole) ? whole.keys() : Object.keys(whole)) {
      if (found.length === maxFoundKeys) return
      path.push(key)
      if (key === '__proto__') found.push(path.map(each => `/${shortPointerPart(String(each))}`).join(''))
      visit((whole as Record<string | number, unknown>)[key])
      path.pop()
    }
  }

  visit(value)
  return found
}

/** Returns a name as a part of a JSON pointer, cut to 100 characters. */
export function shortPointerPart(name: string): string {
  return escapePointer(shorten(name, maxNameCharacters))
}

/** Escapes one part of a JSON pointer (RFC 6901). */
export function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1')
}
