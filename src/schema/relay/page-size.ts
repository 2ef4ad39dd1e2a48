import { cost } from './field-cost.ts'

/** Size of a page of a connection when the caller names none, and the most a caller may ask for. */
export const pageSize = { byDefault: 100, most: 1_000 } as const

/** A page is a statement's work even if it is empty, and an error of its own where its arguments are bad. */
export const costOfPage = cost({ kind: 'page', once: 50, ...pageSize })
