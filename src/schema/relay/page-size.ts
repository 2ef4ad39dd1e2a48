import { cost } from './field-cost.ts'

/** Page sizes of connections: the default, and the largest that a caller may ask for. */
export const pageSize = { byDefault: 100, max: 1_000 } as const

/** Even an empty page costs an SQL statement, and a page with bad arguments its own error. */
const page = {
  kind: 'page',
  once: 50,
  defaultItems: pageSize.byDefault,
  maxItems: pageSize.max,
} as const

export const costOfPage = cost(page)

/**
 * For a page with a filter that may have to look at 100,000 rows, which takes 50 ms, unless it has only one of these
 * members.
 */
export function costOfSearch(by: string, unless: readonly string[]) {
  return cost({ ...page, search: { by, unless, cost: 20_000 } })
}
