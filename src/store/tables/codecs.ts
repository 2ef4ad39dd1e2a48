import { parseText } from '../../json/parse-json.ts'

/**
 * How the values of a column are stored, where the database has no type for them. Neither function gets null, which is
 * null on both sides.
 */
export interface Codec {
  readonly encode: (value: never) => string | number
  readonly decode: (stored: never) => unknown
  /**
   * For a column whose values something else may have made unreadable: the member of the row by which callers know it,
   * for the error. Such a value throws when it is asked for, so that it fails no other row and no other column.
   */
  readonly knownBy?: string
}

/** A list of words, as one text with spaces between them. */
export const wordsCodec: Codec = {
  encode: (words: readonly string[]) => words.join(' '),
  decode: (text: string) => (text === '' ? [] : text.split(' ')),
}

export const flagCodec: Codec = { encode: Number, decode: (number: number) => number !== 0 }

/** A number with one decimal place, as an integer. */
export const tenthsCodec: Codec = {
  encode: (value: number) => Math.round(value * 10),
  decode: (tenths: number) => tenths / 10,
}

export function jsonCodec(knownBy: string): Codec {
  return { encode: JSON.stringify, decode: (text: string) => parseText(text), knownBy }
}
