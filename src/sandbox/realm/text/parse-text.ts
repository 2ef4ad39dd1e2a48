import type { Language } from '../language.ts'

/**
 * Makes a function that parses like `JSON.parse`, with the right keys. V8 may read an escaped key as one with a
 * backslash that the isolate has seen before: see `src/json/parse-json.ts`. So a text with escaped keys is parsed again
 * with other spellings of them. Runs inside the isolate as text.
 */
export function makeParseText(language: Omit<Language, 'parseText'>) {
  const { create, define, isArray, keysOf, parse, stringify, slice, indexOf, lastIndexOf } = language

  const isSpace = (character: string | undefined): boolean =>
    character === ' ' || character === '\n' || character === '\r' || character === '\t'

  const isEscaped = (text: string, place: number): boolean => {
    let before = place
    while (before > 0 && text[before - 1] === '\\') before--
    return (place - before) % 2 === 1
  }

  const endOfString = (text: string, start: number): number => {
    let end = indexOf(text, '"', start + 1)
    while (isEscaped(text, end)) end = indexOf(text, '"', end + 1)
    return end + 1
  }

  const endOfSpace = (text: string, start: number): number => {
    let end = start
    while (end < text.length && isSpace(text[end])) end++
    return end
  }

  // Returns the text with other spellings of its escaped keys, or null without such keys. `spell` gets each with its
  // quotes.
  const respell = (text: string, spell: (key: string) => string): string | null => {
    let spelled = ''
    let copied = 0
    let at = 0
    for (let escape = indexOf(text, '\\'); escape !== -1; escape = indexOf(text, '\\', at)) {
      // The first escape of a string: no quote is between it and the start.
      const start = lastIndexOf(text, '"', escape)
      const end = endOfString(text, start)
      at = endOfSpace(text, end)
      if (text[at] !== ':') continue
      spelled += slice(text, copied, start) + spell(slice(text, start, end))
      copied = end
    }
    return copied === 0 ? null : spelled + slice(text, copied)
  }

  // Returns a short text that is not in the text: `~` and seven digits.
  const findMark = (text: string): string => {
    const taken = create(null) as Record<string, boolean>
    for (let at = indexOf(text, '~'); at !== -1; at = indexOf(text, '~', at + 1)) {
      const next = text[at + 1] ?? ''
      if (next > '0' && next <= '9') taken[slice(text, at, at + 8)] = true
    }
    let number = 1_000_000
    while (taken[`~${number}`]) number++
    return `~${number}`
  }

  // Few texts need this and `rename`. So their functions are made when they are called, because in the snapshot they
  // would make each isolate dearer.
  const parseAgain = (text: string, value: unknown): unknown => {
    // The keys that have no other spelling, by the keys that stand for them. No other key has their mark in it.
    const names = create(null) as Record<string, string>
    let mark = ''
    let count = 0
    const spellings = create(null) as Record<string, string>

    // V8 reads a string that is no key right.
    const findSpelling = (escaped: string): string => {
      const name = parse(escaped) as string
      const plain = stringify(name)
      if (indexOf(plain, '\\') === -1 && indexOf(plain, '~') === -1) return plain
      if (mark === '') mark = findMark(text)
      const standIn = mark + count++
      names[standIn] = name
      return `"${standIn}"`
    }
    const respelled = respell(text, key => (spellings[key] ??= findSpelling(key)))
    if (respelled === null) return value
    const again: unknown = parse(respelled)
    return count === 0 ? again : rename(again, names)
  }

  // Without recursion, because a value may have more levels than the stack.
  const rename = (root: unknown, names: Record<string, string>): unknown => {
    // Has no prototype, so that a script cannot change what the descriptor inherits.
    const own = create(null) as PropertyDescriptor
    own.writable = true
    own.enumerable = true
    own.configurable = true
    // The arrays and objects whose members are not renamed. Without a prototype, it has no setter of a script.
    const waiting = create(null) as Record<number, Record<string, unknown>>
    let length = 0

    const copy = (value: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> => {
      const renamed = {}
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i] as string
        own.value = value[key]
        define(renamed, names[key] ?? key, own)
      }
      own.value = undefined
      return renamed
    }

    const hasStandIn = (keys: readonly string[]): boolean => {
      for (let i = 0; i < keys.length; i++) if (names[keys[i] as string] !== undefined) return true
      return false
    }

    // Renames the members of the value, and lets it wait, so that the values in it come later.
    const renameMembers = (value: Record<string, unknown>): unknown => {
      let renamed = value
      if (!isArray(value)) {
        const keys = keysOf(value)
        if (hasStandIn(keys)) renamed = copy(value, keys)
      }
      waiting[length++] = renamed
      return renamed
    }

    const renameIn = (parent: Record<string, unknown>, key: string | number): void => {
      const value = parent[key]
      if (typeof value !== 'object' || value === null) return
      const renamed = renameMembers(value as Record<string, unknown>)
      if (renamed !== value) parent[key] = renamed
    }

    const holder = create(null)
    holder.root = root
    renameIn(holder, 'root')
    while (length > 0) {
      const parent = waiting[--length] as Record<string, unknown>
      const keys = isArray(parent) ? null : keysOf(parent)
      const { length: count } = (keys ?? parent) as readonly unknown[]
      for (let i = 0; i < count; i++) renameIn(parent, keys === null ? i : (keys[i] as string))
    }
    return holder.root
  }

  return (text: string): unknown => {
    const value: unknown = parse(text)
    return indexOf(text, '\\') === -1 ? value : parseAgain(text, value)
  }
}
