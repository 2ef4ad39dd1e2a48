import { RostrumError } from '../../errors.ts'
import type { Origin } from '../port.ts'
import type { Store } from '../store.ts'
import { alreadyMember, notFoundOrStale } from './membership-failures.ts'
import type {
  BulkMode,
  BulkResult,
  ChangeResult,
  Membership,
  MembershipMove,
  MembershipPair,
  MembershipRemoval,
} from './membership-store.ts'

/** A change from a caller, or the error of a change that cannot be read. */
export type BulkItem<Change> = Change | RostrumError

/** The result of an item: a value or an error. It has neither if other items undid the change. */
export interface BulkOutcome {
  readonly membership: Membership | null
  readonly error: RostrumError | null
}

export interface BulkAnswer {
  /** False if an item of an atomic bulk has an error. Then nothing was changed. */
  readonly applied: boolean
  /** The results, in the order of the items. */
  readonly items: readonly BulkOutcome[]
}

type ChangeMany<Change> = (
  origin: Origin,
  items: readonly BulkItem<Change>[],
  mode: BulkMode,
) => Promise<BulkAnswer>

/**
 * Makes many changes as if one after the other. An item that fails has the same error as a single change. A repeated id
 * is an error of its item.
 */
export interface BulkChanges {
  readonly addMany: ChangeMany<MembershipPair>
  /** Moves many memberships. Moves that swap pairs in a ring are made together, before the others. */
  readonly moveMany: ChangeMany<MembershipMove>
  readonly removeMany: ChangeMany<MembershipRemoval>
}

export function createBulkChanges({ memberships }: Store): BulkChanges {
  return {
    addMany: (origin, items, mode) =>
      changeMany(items, mode, pairs => memberships.changeMany(origin, { kind: 'add', items: pairs }, mode)),
    moveMany: (origin, items, mode) =>
      changeMany(items, mode, moves => memberships.changeMany(origin, { kind: 'move', items: moves }, mode)),
    removeMany: (origin, items, mode) =>
      changeMany(items, mode, removals =>
        memberships.changeMany(origin, { kind: 'remove', items: removals }, mode),
      ),
  }
}

type AnyChange = MembershipPair | MembershipRemoval

async function changeMany<Change extends AnyChange>(
  items: readonly BulkItem<Change>[],
  mode: BulkMode,
  make: (changes: readonly Change[]) => Promise<BulkResult>,
): Promise<BulkAnswer> {
  const checked = refuseRepeated(items)
  const changes = checked.flatMap(item => (item instanceof RostrumError ? [] : [item]))
  const isUndone = mode === 'atomic' && changes.length < items.length
  const { applied, results } =
    isUndone || changes.length === 0 ? { applied: !isUndone, results: [] } : await make(changes)
  // Items for which the store returns no result were not done.
  const rest = results.values()
  const outcomes = checked.map(item =>
    item instanceof RostrumError
      ? { membership: null, error: item }
      : describe(item, rest.next().value ?? { kind: 'undone' }),
  )
  return { applied, items: outcomes }
}

/**
 * Returns the change that `read` returns, or the expected error that `read` throws, so that a bad item does not stop
 * the others.
 */
export function readItem<Change>(read: () => Change): BulkItem<Change> {
  try {
    return read()
  } catch (error) {
    if (error instanceof RostrumError) return error
    throw error
  }
}

function refuseRepeated<Change extends AnyChange>(items: readonly BulkItem<Change>[]): BulkItem<Change>[] {
  const places = new Map<number, number>()
  return items.map((item, index) => {
    if (item instanceof RostrumError || !('id' in item)) return item
    const place = places.get(item.id)
    if (place !== undefined) return namedTwice(item.id, place)
    places.set(item.id, index)
    return item
  })
}

function describe(change: AnyChange, result: ChangeResult): BulkOutcome {
  switch (result.kind) {
    case 'added':
    case 'moved':
    case 'removed':
      return { membership: result.membership, error: null }
    case 'undone':
      return { membership: null, error: null }
    default:
      return { membership: null, error: explain(change, result) }
  }
}

type Failure = Exclude<ChangeResult, { readonly membership: Membership } | { readonly kind: 'undone' }>

function explain(change: AnyChange, failure: Failure): RostrumError {
  if (failure.kind === 'duplicate') return alreadyMember(failure.existingId)
  if (failure.kind === 'repeated') return addedTwice(failure.index)
  // Only existing rows can be missing or stale, so this failure is a fault.
  if (!('id' in change)) throw new Error(`An added membership is \`${failure.kind}\`.`)
  return notFoundOrStale(change, failure)
}

// The error for a pair that the same bulk adds twice. Nothing was changed, so there is no id to name.
function addedTwice(index: number): RostrumError {
  return new RostrumError('CONFLICT', `Item \`${index}\` of this call adds the user to this team already.`, {
    reason: 'PAIR_EXISTS',
  })
}

function namedTwice(id: number, index: number): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    `Item \`${index}\` of this call names team membership \`${id}\` already. Name each membership once.`,
  )
}
