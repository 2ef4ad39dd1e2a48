import type { Language } from '../language.ts'

/**
 * Makes a function that parses like `JSON.parse`, with the right keys. V8 may read an escaped key as one with a
 * backslash that the isolate has seen before: see `src/json/parse-json.ts`. So a text with escaped keys is read again,
 * member by member. Runs inside the isolate as text.
 */
export function makeParseText(language: Omit<Language, 'parseText'>) {
  const { create, define, parse, slice, indexOf, lastIndexOf } = language

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

  const hasEscapedKey = (text: string): boolean => {
    let at = 0
    for (let escape = indexOf(text, '\\'); escape !== -1; escape = indexOf(text, '\\', at)) {
      // The first escape of a string: no quote is between it and the start.
      at = endOfSpace(text, endOfString(text, lastIndexOf(text, '"', escape)))
      if (text[at] === ':') return true
    }
    return false
  }

  // Few texts need it. So its functions are made when it is called, because in the snapshot they would make each
  // isolate dearer.
  const readMembers = (text: string): unknown => {
    // Has no prototype, so that a script cannot change what the descriptor inherits.
    const own = create(null) as PropertyDescriptor
    own.writable = true
    own.enumerable = true
    own.configurable = true
    let at = 0

    const skipSpace = (): void => {
      at = endOfSpace(text, at)
    }

    // Goes past what ends here, and returns its value. V8 reads a string that is no key right.
    const take = (end: number): unknown => {
      const start = at
      at = end
      return parse(slice(text, start, end))
    }

    const takeWord = (): unknown => {
      let end = at
      while (end < text.length) {
        const character = text[end]
        if (character === ',' || character === '}' || character === ']' || isSpace(character)) break
        end++
      }
      return take(end)
    }

    // Defines members and items, because a script may have given setters to all objects.
    const add = (target: object, key: string | number, value: unknown): void => {
      own.value = value
      define(target, key, own)
      own.value = undefined
    }

    const takeItems = (): unknown[] => {
      const items: unknown[] = []
      for (let count = 0; ; count++) {
        at++
        skipSpace()
        if (text[at] !== ']') add(items, count, takeValue())
        skipSpace()
        if (text[at] === ',') continue
        at++
        return items
      }
    }

    const takeMembers = (): object => {
      const members = {}
      for (;;) {
        at++
        skipSpace()
        if (text[at] !== '}') {
          const key = take(endOfString(text, at)) as string
          skipSpace()
          at++
          add(members, key, takeValue())
        }
        skipSpace()
        if (text[at] === ',') continue
        at++
        return members
      }
    }

    const takeValue = (): unknown => {
      skipSpace()
      switch (text[at]) {
        case '{':
          return takeMembers()
        case '[':
          return takeItems()
        case '"':
          return take(endOfString(text, at))
        default:
          return takeWord()
      }
    }

    return takeValue()
  }

  return (text: string): unknown => {
    const value: unknown = parse(text)
    if (indexOf(text, '\\') === -1) return value
    try {
      return hasEscapedKey(text) ? readMembers(text) : value
    } catch {
      // It has more levels than the stack. V8 reads those without one.
      return value
    }
  }
}
