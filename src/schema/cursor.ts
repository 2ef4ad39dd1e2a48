import { RostrumError } from '../errors.ts'

const prefix = 'membership:'
// That of the largest id; what is longer is not worth decoding, since a page below a list does it for each item.
const longestCursor = encodeCursor(Number.MAX_SAFE_INTEGER).length

/** An opaque cursor that stands for a membership's place among its siblings, which are ordered by id. */
export function encodeCursor(id: number): string {
  return Buffer.from(prefix + id).toString('base64url')
}

/** The id in a cursor of ours; anything else is `BAD_USER_INPUT`. */
export function decodeCursor(cursor: string, argument: string): number {
  if (cursor.length <= longestCursor) {
    const text = Buffer.from(cursor, 'base64url').toString('utf8')
    const id = Number(text.slice(prefix.length))
    // Compared with what we would have written, so that one place has one cursor and nothing else passes.
    if (Number.isSafeInteger(id) && id > 0 && encodeCursor(id) === cursor) return id
  }
  throw new RostrumError(
    'BAD_USER_INPUT',
    `\`${argument}\` is not a cursor of this connection; take it from \`pageInfo\` or \`edges\`.`,
  )
}
