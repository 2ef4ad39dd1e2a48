import { RostrumError } from '../../errors.ts'

/** Opaque texts that stand for places in lists of one kind. */
export interface Cursors {
  encode(place: number): string
  /** The place in a cursor of this kind; anything else is `BAD_USER_INPUT` that names the argument. */
  decode(cursor: string, argument: string): number
}

/** Cursors for places that are numbers from 1 up; the prefix keeps them apart from those of other kinds. */
export function createCursors(prefix: string): Cursors {
  const encode = (place: number) => Buffer.from(prefix + place).toString('base64url')
  // What is longer is not worth decoding, since a page below a list does it for each item.
  const longest = encode(Number.MAX_SAFE_INTEGER).length
  return {
    encode,
    decode(cursor, argument) {
      if (cursor.length <= longest) {
        const text = Buffer.from(cursor, 'base64url').toString('utf8')
        const place = Number(text.slice(prefix.length))
        // Compared with what we would have written, so that one place has one cursor and nothing else passes.
        if (Number.isSafeInteger(place) && place > 0 && encode(place) === cursor) return place
      }
      throw new RostrumError(
        'BAD_USER_INPUT',
        `\`${argument}\` is not a cursor that was given here; take a \`cursor\`, \`startCursor\` or \`endCursor\` of an earlier answer.`,
      )
    },
  }
}

/** A membership's place among its siblings, which are ordered by id. */
export const membershipCursors = createCursors('membership:')

/** An event's place among those of its account. */
export const eventCursors = createCursors('event:')
