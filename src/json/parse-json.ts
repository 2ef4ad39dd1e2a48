/** An integer beyond 2^53-1, written without fraction or exponent. A JavaScript number would change it. */
export class LongInteger {
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

// Sixteen digits in a row are rare, and a reviver takes five times as long.
const suspect = /\d{16}/
const isLong = (text: string) => /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))

/** `JSON.parse` that gives a `LongInteger` for each integer that a number cannot hold. */
export function parseJson(text: string): unknown {
  return suspect.test(text) ? JSON.parse(text, reviveLong) : JSON.parse(text)
}

function reviveLong(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return toLongInteger(context?.source ?? '') ?? value
}

/** For the text of a number; null if a number holds it, or it has a fraction or an exponent. */
export function toLongInteger(text: string): LongInteger | null {
  return isLong(text) ? new LongInteger(text) : null
}
