/**
 * The price of a field in points, in its `extensions.cost`, for the bound on cost (contract, section 3). A field
 * without one costs 1. Fields below a list count once for each item that the list can have: `maxItems` for `list`, the
 * length of an argument for `listOf` (each item adds `each`), the page size for `page`. In a `sharedList` all parents
 * together have at most `maxInAll` items, because the resolver counts them in the answer.
 */
export type FieldCost =
  | { readonly kind: 'fixed'; readonly cost: number }
  | { readonly kind: 'listOf'; readonly argument: string; readonly each?: number }
  | {
      readonly kind: 'list'
      readonly maxItems: number
      /** An argument that narrows the list, and how long it is then. */
      readonly narrowed?: { readonly by: string; readonly maxItems: number }
    }
  | {
      readonly kind: 'sharedList'
      readonly once: number
      /** Number of rows for one parent. */
      readonly maxItems: number
      readonly maxInAll: number
    }
  | {
      readonly kind: 'page'
      readonly once: number
      readonly defaultItems: number
      readonly maxItems: number
      /** An argument that filters the page, the members that can filter alone without a search, and its price. */
      readonly search?: { readonly by: string; readonly unless: readonly string[]; readonly cost: number }
    }

export function cost(fieldCost: FieldCost): { cost: FieldCost } {
  return { cost: fieldCost }
}

/**
 * For a mutation that starts a run: its price, and the mark by which a repeated request under its idempotency key does
 * not run it again.
 */
export const costOfRun = { ...cost({ kind: 'fixed', cost: 10_000 }), startsRun: true }

/** The price of a text of about a hundred characters, which aliases could repeat 100,000 times in one answer. */
export const costOfText = cost({ kind: 'fixed', cost: 10 })

/**
 * For a long value that is read once its bytes were counted to the answer, so that it costs no more than its look-up,
 * or the error that it does not fit.
 */
export const costOfCounted = cost({ kind: 'fixed', cost: 20 })

/** The price of a case's data. A separate limit covers the bytes of all data in one answer. */
export const costOfData = cost({ kind: 'fixed', cost: 3 })

/** The price of a record that is looked up: 100,000 of them under aliases block the event loop for most of a second. */
export const costOfRecord = cost({ kind: 'fixed', cost: 8 })

export function isFieldCost(value: unknown): value is FieldCost {
  return typeof value === 'object' && value !== null && 'kind' in value
}
