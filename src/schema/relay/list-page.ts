import { builder } from '../builder.ts'
import { checkSize } from './connection-page.ts'
import type { Cursors } from './cursor.ts'
import { pageSize } from './page-size.ts'

export interface ListArguments {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
}

export const listArguments = builder.args(t => ({
  first: t.int({ description: `Page size: ${pageSize.byDefault} by default, at most ${pageSize.max}.` }),
  after: t.string({ description: 'Only items after this cursor. Default: from the first item on.' }),
}))

interface List<Row> {
  readonly cursors: Cursors
  readonly positionOf: (row: Row) => number
  /** Up to `limit` rows that follow this position; null: from the first one. */
  readonly read: (from: number | null, limit: number) => Promise<readonly Row[]>
}

/**
 * A Relay connection over a list that is read in one direction. It fetches one row more than the page has, to know
 * whether more follow. Rejects with `BAD_USER_INPUT` for a bad size or cursor.
 */
export async function resolveList<Row>(given: ListArguments, { cursors, positionOf, read }: List<Row>) {
  const from = given.after == null ? null : cursors.decode(given.after, 'after')
  const size = checkSize(given.first ?? pageSize.byDefault, 'first')
  const rows = await read(from, size + 1)
  const edges = rows.slice(0, size).map(node => ({ cursor: cursors.encode(positionOf(node)), node }))
  return {
    edges,
    pageInfo: {
      hasNextPage: rows.length > size,
      hasPreviousPage: from !== null,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}

/** The page for `read` of a list with the newest rows first; its rows come in ascending id. */
export function newestPage(from: number | null, limit: number) {
  return { after: null, before: from, limit, fromEnd: true } as const
}
