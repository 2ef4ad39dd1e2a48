/** An integer that JavaScript cannot represent exactly: written as JSON, the nearest double is another number. */
export class InexactInteger {
  /** The integer as it was written. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Returns the nearest number, for messages. */
  toJSON(): number {
    return Number(this.text)
  }
}

/** Reads the text of a JSON number. Returns a number, which may overflow, or an `InexactInteger`. */
export function readNumber(text: string): number | InexactInteger {
  const number = Number(text)
  // A safe integer (below 2^53) is exact, and a fraction is never the nearest double of a larger integer.
  if (!Number.isInteger(number) || Number.isSafeInteger(number)) return number
  const written = String(number)
  if (written === text) return number
  const decimal = readDecimal(text)
  const isExact = decimal.power < 0 || isEqual(decimal, readDecimal(written))
  return isExact ? number : new InexactInteger(text)
}

/** A decimal number: its digits without zeros at either end, times a power of ten. */
interface Decimal {
  readonly digits: string
  readonly power: number
}

const zero = 0x30

function readDecimal(text: string): Decimal {
  const unsigned = text.startsWith('-') ? text.slice(1) : text
  const [coefficient = '', exponent = '0'] = unsigned.split(/e/i)
  const [whole = '', fraction = ''] = coefficient.split('.')
  const digits = whole + fraction
  let [start, end] = [0, digits.length]
  while (digits.charCodeAt(start) === zero) start++
  while (end > start && digits.charCodeAt(end - 1) === zero) end--
  return {
    digits: digits.slice(start, end),
    power: Number(exponent) - fraction.length + (digits.length - end),
  }
}

function isEqual(a: Decimal, b: Decimal): boolean {
  return a.power === b.power && a.digits === b.digits
}
