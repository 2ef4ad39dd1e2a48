import { cost } from './field-cost.ts'

/** Page sizes of connections: the default, and the largest that a caller may ask for. */
export const pageSize = { byDefault: 100, max: 1_000 } as const

/** Even an empty page costs an SQL statement, and a page with bad arguments its own error. */
export const costOfPage = cost({
  kind: 'page',
  once: 50,
  defaultItems: pageSize.byDefault,
  maxItems: pageSize.max,
})
