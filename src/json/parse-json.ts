import { readNumber } from './inexact-integer.ts'

// Finds candidates for inexact integers, which have at least 16 digits. The digits are in one run, or a point divides
// them and an exponent follows, as in `1.2345678901234567e16`.
const suspect = /\d{16}|\.\d+[eE]\+?\d/
const beforeColon = /[ \t\n\r]*:/y

/**
 * Parses like `JSON.parse`, with the right keys. After an object with the key `\`, of any account, V8 may read an
 * escaped key of a similar object, such as `\n` or `\u00e9`, as `\` too: https://github.com/nodejs/node/issues/63785.
 * So a text with escaped keys is parsed again, by `Parser`.
 */
export function parseText(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return hasEscapedKey(text) ? parseAgain(text, value) : value
}

// A value with more levels than the stack stays as V8 has read it, which may have got an escaped key wrong.
function parseAgain(text: string, value: unknown): unknown {
  try {
    return new Parser(text, Number).parse()
  } catch (error) {
    if (error instanceof RangeError) return value
    throw error
  }
}

/** Parses like `parseText`, but returns an `InexactInteger` for each integer that JavaScript would change. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return suspect.test(text) || hasEscapedKey(text) ? new Parser(text, readNumber).parse() : value
}

// The text must be valid JSON.
function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1; ) {
    // The first escape of a string: no quote is between it and the start.
    const end = findEndOfString(text, text.lastIndexOf('"', at))
    beforeColon.lastIndex = end
    if (beforeColon.test(text)) return true
    at = text.indexOf('\\', end)
  }
  return false
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

/** Parses a valid JSON text. It takes up to three times as long as `JSON.parse`. */
class Parser {
  readonly #text: string
  readonly #readNumber: (text: string) => unknown
  #at = 0

  constructor(text: string, readNumber: (text: string) => unknown) {
    this.#text = text
    this.#readNumber = readNumber
  }

  parse(): unknown {
    switch (this.#skipSpace()) {
      case '{':
        return this.#parseObject()
      case '[':
        return this.#parseArray()
      case '"':
        return this.#parseString()
      default:
        return this.#parseWord()
    }
  }

  #skipSpace(): string | undefined {
    const text = this.#text
    for (;;) {
      const character = text[this.#at]
      if (character === undefined || character > ' ') return character
      this.#at++
    }
  }

  /** Returns the next character and goes past it. */
  #take(): string | undefined {
    const character = this.#skipSpace()
    this.#at++
    return character
  }

  #parseObject(): object {
    const fields: Record<string, unknown> = {}
    this.#at++
    if (this.#skipSpace() === '}') {
      this.#at++
      return fields
    }
    do {
      this.#skipSpace()
      const key = this.#parseString()
      this.#take()
      const value = this.parse()
      if (key !== '__proto__') fields[key] = value
      else Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true })
    } while (this.#take() === ',')
    return fields
  }

  #parseArray(): unknown[] {
    const elements: unknown[] = []
    this.#at++
    if (this.#skipSpace() === ']') {
      this.#at++
      return elements
    }
    do elements.push(this.parse())
    while (this.#take() === ',')
    return elements
  }

  // V8 reads a string that is no key right. A part of the text would keep all of it in memory.
  #parseString(): string {
    const start = this.#at
    this.#at = findEndOfString(this.#text, start)
    return JSON.parse(this.#text.slice(start, this.#at))
  }

  #parseWord(): unknown {
    const start = this.#at
    const text = this.#text
    while (!isEndOfWord(text[this.#at])) this.#at++
    const word = text.slice(start, this.#at)
    switch (word) {
      case 'true':
        return true
      case 'false':
        return false
      case 'null':
        return null
      default:
        return this.#readNumber(word)
    }
  }
}

function isEndOfWord(character: string | undefined): boolean {
  return (
    character === undefined || character <= ' ' || character === ',' || character === '}' || character === ']'
  )
}
