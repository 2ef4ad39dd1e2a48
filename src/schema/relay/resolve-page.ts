import type { NumberedEvent, Page } from '../../domain/port.ts'
import { RostrumError } from '../../errors.ts'
import type { Cursors } from './cursor.ts'
import { pageSize } from './page-size.ts'

export interface PageArguments {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

interface Rows<Row> {
  readonly cursors: Cursors
  readonly positionOf: (row: Row) => number
  readonly read: (page: Page) => Promise<readonly Row[]>
}

/** The position of a row in a list by id. */
export const idOf = ({ id }: { readonly id: number }): number => id

/** The position of an event in its log. */
export const sequenceOf = ({ sequence }: NumberedEvent): number => sequence

/**
 * A Relay connection over rows by ascending position (contract, section 3). It reads one row more than the page has, to
 * know whether more follow in that direction. In the other direction there are more if the caller sent a cursor.
 * Rejects with `BAD_USER_INPUT` for a bad size or cursor.
 */
export async function resolvePage<Row>(given: PageArguments, { cursors, positionOf, read }: Rows<Row>) {
  const page = readPage(given, cursors)
  const rows = await read({ ...page, limit: page.limit + 1 })
  const hasMore = rows.length > page.limit
  const nodes = page.fromEnd ? rows.slice(hasMore ? 1 : 0) : rows.slice(0, page.limit)
  const edges = nodes.map(node => ({ cursor: cursors.encode(positionOf(node)), node }))
  return {
    edges,
    pageInfo: {
      hasNextPage: page.fromEnd ? page.before !== null : hasMore,
      hasPreviousPage: page.fromEnd ? hasMore : page.after !== null,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}

/**
 * Turns Relay's arguments into the page to read. Throws `BAD_USER_INPUT` for a negative or too large size, for `first`
 * together with `last`, and for a cursor of another list.
 */
function readPage({ first, after, last, before }: PageArguments, cursors: Cursors): Page {
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
function checkSize(size: number, argument: string): number {
  if (size >= 0 && size <= pageSize.max) return size
  throw new RostrumError(
    'BAD_USER_INPUT',
    `\`${argument}\` must be from 0 to ${pageSize.max}; it is \`${size}\`.`,
  )
}
