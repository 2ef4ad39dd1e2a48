/** An integer that a JavaScript number would change: the nearest double, written as JSON, is another number. */
export class InexactInteger {
  /** As it was written. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** For messages: the nearest number. */
  toJSON(): number {
    return Number(this.text)
  }
}

/** The value of the text of a JSON number: a number, which may overflow, or an `InexactInteger`. */
export function readNumber(text: string): number | InexactInteger {
  const number = Number(text)
  // Every integer below 2^53 is exact. An integer is never nearest to a fraction.
  if (!Number.isInteger(number) || Number.isSafeInteger(number)) return number
  const written = String(number)
  if (written === text) return number
  const decimal = readDecimal(text)
  const isExact = decimal.power < 0 || isEqual(decimal, readDecimal(written))
  return isExact ? number : new InexactInteger(text)
}

/** The digits without zeros at either end, times a power of ten. */
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
