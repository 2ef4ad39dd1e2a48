import type { Page } from '../../domain/port.ts'
import { type ConnectionArguments, readPage } from './connection-page.ts'
import type { Cursors } from './cursor.ts'

/**
 * A Relay connection over rows by ascending id (contract, section 3). It fetches one row more than the page has, to
 * know whether more follow in that direction. In the other direction there are more if the caller sent a cursor.
 */
export async function resolvePage<Row extends { readonly id: number }>(
  given: ConnectionArguments,
  cursors: Cursors,
  fetch: (page: Page) => Promise<readonly Row[]>,
) {
  const page = readPage(given, cursors)
  const rows = await fetch({ ...page, limit: page.limit + 1 })
  const hasMore = rows.length > page.limit
  const nodes = page.fromEnd ? rows.slice(hasMore ? 1 : 0) : rows.slice(0, page.limit)
  const edges = nodes.map(node => ({ cursor: cursors.encode(node.id), node }))
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
