/**
 * What a field says about its price in `extensions.cost`, for the bound on cost (contract, section 3). A field without
 * it costs 1, once; everything below a list costs as often as the list can have items (`list`: a fixed number, or as priced), and an
 * item of `listOf` costs `each` besides.
 */
export type FieldCost =
  | { readonly kind: 'fixed'; readonly cost: number }
  | { readonly kind: 'listOf'; readonly argument: string; readonly each?: number }
  | { readonly kind: 'list'; readonly most: number }
  | { readonly kind: 'page'; readonly once: number; readonly byDefault: number; readonly most: number }

export function cost(fieldCost: FieldCost): { cost: FieldCost } {
  return { cost: fieldCost }
}

/** Of a text of some hundred characters, which aliases could repeat a hundred thousand times in one answer. */
export const costOfText = cost({ kind: 'fixed', cost: 10 })

/** Of a record that is looked up: a hundred thousand of them under aliases hold the event loop for most of a second. */
export const costOfRecord = cost({ kind: 'fixed', cost: 8 })

export function isFieldCost(value: unknown): value is FieldCost {
  return typeof value === 'object' && value !== null && 'kind' in value
}
