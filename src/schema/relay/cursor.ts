import { RostrumError } from '../../errors.ts'

/** Opaque texts that stand for positions in lists of one kind. */
export interface Cursors {
  encode(position: number): string
  /** The position in a cursor. Throws `BAD_USER_INPUT`, naming the argument, for any other text. */
  decode(cursor: string, argument: string): number
}

/** Cursors for positions from 1 up. The prefix tells the lists apart. */
function createCursors(prefix: string): Cursors {
  const encode = (position: number) => Buffer.from(prefix + position).toString('base64url')
  // Longer texts are not decoded: a page below a list would decode its cursor for each item.
  const maxLength = encode(Number.MAX_SAFE_INTEGER).length
  return {
    encode,
    decode(cursor, argument) {
      if (cursor.length <= maxLength) {
        const text = Buffer.from(cursor, 'base64url').toString('utf8')
        const position = Number(text.slice(prefix.length))
        // Encoding again ensures that each position has exactly one cursor.
        if (Number.isSafeInteger(position) && position > 0 && encode(position) === cursor) return position
      }
      throw new RostrumError(
        'BAD_USER_INPUT',
        `\`${argument}\` is not a cursor of this list; ` +
          'use a `cursor`, `startCursor` or `endCursor` of an earlier answer.',
      )
    },
  }
}

/** Positions of memberships, which are ordered by id. */
export const membershipCursors = createCursors('membership:')

/** Positions of functions, which are ordered by id. */
export const functionCursors = createCursors('function:')

/** Positions of the versions of a function, newest first. */
export const functionVersionCursors = createCursors('function version:')

/** Positions of cases, which are ordered by id. */
export const caseCursors = createCursors('case:')

/** Positions of case events in their account. */
export const caseEventCursors = createCursors('case event:')

/** Positions of runs, newest first. */
export const runCursors = createCursors('run:')

/** Positions of queued runs, in the order of the commits. */
export const queuedRunCursors = createCursors('queued run:')

/** Positions of events of memberships in their account. */
export const eventCursors = createCursors('event:')
