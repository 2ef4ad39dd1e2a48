const mostDepth = 10_000

// What comes next: a value and its neighbours, the inside of a text, of a word (`true`), of a number.
const value = 0
const firstElement = 1
const firstKey = 2
const key = 3
const colon = 4
const afterValue = 5
const text = 6
const escaped = 7
const hex = 8
const word = 9
const minus = 10
const zero = 11
const digits = 12
const point = 13
const fraction = 14
const e = 15
const eSign = 16
const eDigits = 17
const broken = 18

const words: Readonly<Record<string, string>> = { t: 'rue', f: 'alse', n: 'ull' }
const wholeNumbers = [zero, digits, fraction, eDigits]
const beforePoint = [zero, digits]
const beforeE = [zero, digits, fraction]
// By the state of a number: the one after a digit.
const afterDigit: Readonly<Record<number, number>> = {
  [minus]: digits,
  [digits]: digits,
  [point]: fraction,
  [fraction]: fraction,
  [e]: eDigits,
  [eSign]: eDigits,
  [eDigits]: eDigits,
}

/**
 * Tells JSON (RFC 8259) from what is none, byte by byte as it comes. `JSON.parse` would build what is only passed on, and
 * hold everyone up for as long as that takes: a fifth of a second for 2 MiB of brackets. More than 10,000 levels are none.
 */
export class JsonScanner {
  #state = value
  /** The byte that closes each array or object that is open. */
  readonly #open: number[] = []
  #isKey = false
  /** What is still to come of a word. */
  #rest = ''
  #hexDigits = 0

  /** False as soon as it is no JSON, whatever may follow. */
  write(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length && this.#state !== broken; at++) {
      const byte = bytes[at] ?? 0
      // The one loop that pays: most bytes are of texts.
      if (this.#state === text && byte >= 0x20 && byte !== 0x22 && byte !== 0x5c) continue
      this.#state = this.#next(byte)
    }
    return this.#state !== broken
  }

  /** True if what was written is one whole JSON text. */
  end(): boolean {
    return this.#open.length === 0 && (this.#state === afterValue || wholeNumbers.includes(this.#state))
  }

  #next(byte: number): number {
    const state = this.#state
    if (state >= text) return state >= minus ? this.#nextOfNumber(byte) : this.#nextOfText(byte)
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return state
    if (state === colon) return byte === 0x3a ? value : broken
    if (state === afterValue) return this.#nextAfterValue(byte)
    if (state !== value && byte === this.#open.at(-1) && state !== key) return this.#close()
    if (state === value || state === firstElement) return this.#begin(byte)
    this.#isKey = true
    return byte === 0x22 ? text : broken
  }

  #begin(byte: number): number {
    if (byte === 0x22) return text
    if (byte === 0x5b) return this.#enter(0x5d, firstElement)
    if (byte === 0x7b) return this.#enter(0x7d, firstKey)
    if (byte === 0x2d) return minus
    if (byte === 0x30) return zero
    if (isDigit(byte)) return digits
    this.#rest = words[String.fromCharCode(byte)] ?? ''
    return this.#rest === '' ? broken : word
  }

  #enter(closing: number, next: number): number {
    if (this.#open.length === mostDepth) return broken
    this.#open.push(closing)
    return next
  }

  #close(): number {
    this.#open.pop()
    return afterValue
  }

  #nextAfterValue(byte: number): number {
    const closing = this.#open.at(-1)
    if (byte === closing) return this.#close()
    if (byte !== 0x2c || closing === undefined) return broken
    return closing === 0x7d ? key : value
  }

  #nextOfText(byte: number): number {
    if (this.#state === word) return this.#nextOfWord(byte)
    if (this.#state === hex) return this.#nextOfHex(byte)
    if (this.#state === escaped) {
      this.#hexDigits = 0
      return byte === 0x75 ? hex : '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? text : broken
    }
    if (byte === 0x5c) return escaped
    if (byte !== 0x22) return broken
    const next = this.#isKey ? colon : afterValue
    this.#isKey = false
    return next
  }

  #nextOfWord(byte: number): number {
    if (byte !== this.#rest.charCodeAt(0)) return broken
    this.#rest = this.#rest.slice(1)
    return this.#rest === '' ? afterValue : word
  }

  #nextOfHex(byte: number): number {
    if (!isDigit(byte) && !(lower(byte) >= 0x61 && lower(byte) <= 0x66)) return broken
    this.#hexDigits++
    return this.#hexDigits === 4 ? text : hex
  }

  // A number ends where something else begins, which then is looked at again.
  #nextOfNumber(byte: number): number {
    const state = this.#state
    if (isDigit(byte)) return state === minus && byte === 0x30 ? zero : (afterDigit[state] ?? broken)
    if (byte === 0x2e && beforePoint.includes(state)) return point
    if (lower(byte) === 0x65 && beforeE.includes(state)) return e
    if ((byte === 0x2b || byte === 0x2d) && state === e) return eSign
    if (!wholeNumbers.includes(state)) return broken
    this.#state = afterValue
    return this.#next(byte)
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function lower(byte: number): number {
  return byte | 0x20
}
