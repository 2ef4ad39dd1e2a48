import fc from 'fast-check'

export const accounts = ['a', 'b'] as const
export type AccountName = (typeof accounts)[number]

export interface Pair {
  readonly user: number
  readonly team: number
}

type Action =
  | { readonly kind: 'create'; readonly pair: Pair }
  | { readonly kind: 'move'; readonly change: Partial<Pair>; readonly ifVersion: number | null }
  | { readonly kind: 'remove'; readonly ifVersion: number | null }
  | { readonly kind: 'read' }
  | { readonly kind: 'list' }

/** One operation of one account, over one of the two sides. */
export type Operation = Action & {
  readonly account: AccountName
  readonly side: 'rest' | 'graphql'
  /**
   * Which of the ids made so far, by whomever, counted from the last one; beyond them an id that was never given out.
   */
  readonly target: number
}

const few = fc.integer({ min: 1, max: 3 })
const pair: fc.Arbitrary<Pair> = fc.record({ user: few, team: few })
const change = fc.oneof(pair, fc.record({ team: few }), fc.record({ user: few })) satisfies fc.Arbitrary<
  Partial<Pair>
>
const ifVersion = fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: few })

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('create' as const), pair }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('move' as const), change, ifVersion }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), ifVersion }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('read' as const, 'list' as const) }) },
)

const operation: fc.Arbitrary<Operation> = fc
  .tuple(
    action,
    fc.record({
      account: fc.constantFrom(...accounts),
      side: fc.constantFrom('rest' as const, 'graphql' as const),
      target: fc.nat(5),
    }),
  )
  .map(([what, who]) => ({ ...what, ...who }))

/** Steps one after another; the operations of a step are sent at the same time. */
export const history = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 9,
  size: 'max',
})
