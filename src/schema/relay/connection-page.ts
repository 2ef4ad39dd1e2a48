import type { Page } from '../../domain/port.ts'
import { RostrumError } from '../../errors.ts'
import type { Cursors } from './cursor.ts'
import { pageSize } from './page-size.ts'

export interface ConnectionArguments {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

/**
 * Turns Relay's arguments into the page to fetch. Throws `BAD_USER_INPUT` for a negative or too large size, for `first`
 * together with `last`, and for a cursor of another list.
 */
export function readPage({ first, after, last, before }: ConnectionArguments, cursors: Cursors): Page {
  if (first != null && last != null) {
    throw new RostrumError('BAD_USER_INPUT', 'Give `first` or `last`, not both.')
  }
  const fromEnd = last != null
  return {
    after: after == null ? null : cursors.decode(after, 'after'),
    before: before == null ? null : cursors.decode(before, 'before'),
    limit: fromEnd ? checkSize(last, 'last') : checkSize(first ?? pageSize.byDefault, 'first'),
    fromEnd,
  }
}

/** Returns the page size. Throws `BAD_USER_INPUT` if it is negative or too large. */
export function checkSize(size: number, argument: string): number {
  if (size >= 0 && size <= pageSize.max) return size
  throw new RostrumError(
    'BAD_USER_INPUT',
    `\`${argument}\` must be from 0 to ${pageSize.max}; it is \`${size}\`.`,
  )
}
