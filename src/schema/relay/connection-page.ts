import type { Page } from '../../domain/store.ts'
import { RostrumError } from '../../errors.ts'
import { membershipCursors } from './cursor.ts'
import { pageSize } from './page-size.ts'

export interface ConnectionArguments {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

/**
 * From Relay's arguments to the rows to fetch, without the one more that tells whether there is a further page.
 * Negative or too large sizes, both directions at once and foreign cursors are `BAD_USER_INPUT`.
 */
export function readPage({ first, after, last, before }: ConnectionArguments): Page {
  if (first != null && last != null) {
    throw new RostrumError('BAD_USER_INPUT', 'Give `first` or `last`, not both.')
  }
  const fromEnd = last != null
  return {
    after: after == null ? null : membershipCursors.decode(after, 'after'),
    before: before == null ? null : membershipCursors.decode(before, 'before'),
    limit: fromEnd ? checkSize(last, 'last') : checkSize(first ?? pageSize.byDefault, 'first'),
    fromEnd,
  }
}

/** Passes the size of a page on; `BAD_USER_INPUT` where it is negative or too large. */
export function checkSize(size: number, argument: string): number {
  if (size >= 0 && size <= pageSize.most) return size
  throw new RostrumError(
    'BAD_USER_INPUT',
    `\`${argument}\` must be from 0 to ${pageSize.most}; it is \`${size}\`.`,
  )
}
