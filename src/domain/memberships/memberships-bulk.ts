import { RostrumError } from '../../errors.ts'
import { checkId } from '../id.ts'
import type { BulkMode, ChangeResult, Membership, MembershipChange, Origin, Store } from '../store.ts'
import { alreadyMember, checkMove, checkPair, notChanged } from './membership-failures.ts'

const maxItems = 1_000

/** A change from a caller, or the error of one that cannot be read. */
export type BulkItem = MembershipChange | RostrumError

/** The result of an item: exactly one of the two, or neither if other items undid it. */
export interface BulkOutcome {
  readonly membership: Membership | null
  readonly error: RostrumError | null
}

export interface BulkAnswer {
  /** False if an item of an atomic bulk has an error, so that nothing was done. */
  readonly applied: boolean
  /** In the order of the items. */
  readonly items: readonly BulkOutcome[]
}

/**
 * Makes many changes as if one after the other. An item that fails has the error that a single change would have. More
 * than 1,000 items: `BAD_USER_INPUT`.
 */
export type ChangeMany = (origin: Origin, items: readonly BulkItem[], mode: BulkMode) => Promise<BulkAnswer>

export function createChangeMany({ memberships }: Store): ChangeMany {
  return async (origin, items, mode) => {
    if (items.length > maxItems) throw tooManyItems(items.length)
    const checked = items.map(item => (item instanceof RostrumError ? item : readItem(() => check(item))))
    const changes = checked.flatMap(item => (item instanceof RostrumError ? [] : item))
    const isUndone = mode === 'atomic' && changes.length < items.length
    const { applied, results } = isUndone
      ? { applied: false, results: [] }
      : await changeSome(origin, changes, mode)
    // Items without a result of the store were not done.
    const rest = results.values()
    const outcomes = checked.map(item =>
      item instanceof RostrumError
        ? { membership: null, error: item }
        : describe(item, rest.next().value ?? { kind: 'undone' }),
    )
    return { applied, items: outcomes }
  }

  async function changeSome(origin: Origin, changes: readonly MembershipChange[], mode: BulkMode) {
    if (changes.length === 0) return { applied: true, results: [] }
    return memberships.changeMany(origin, changes, mode)
  }
}

/** The change that `read` gives, or the expected error that it throws: a bad item does not stop the others. */
export function readItem(read: () => MembershipChange): BulkItem {
  try {
    return read()
  } catch (error) {
    if (error instanceof RostrumError) return error
    throw error
  }
}

function check(change: MembershipChange): MembershipChange {
  if (change.kind === 'add') checkPair(change.pair)
  else checkId(change.id, 'membership id')
  if (change.kind === 'move') checkMove(change.change)
  return change
}

function describe(change: MembershipChange, result: ChangeResult): BulkOutcome {
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

function explain(change: MembershipChange, failure: Failure): RostrumError {
  if (failure.kind === 'duplicate') return alreadyMember(failure.existingId)
  if (failure.kind === 'repeated') return addedTwice(failure.index)
  // An added membership has no row that could be missing or stale.
  if (change.kind === 'add') throw new Error(`An added membership is \`${failure.kind}\`.`)
  return notChanged(change.id, failure)
}

// Nothing was done, so there is no id for the message.
function addedTwice(index: number): RostrumError {
  return new RostrumError('CONFLICT', `Item \`${index}\` of this call adds the user to this team already.`, {
    reason: 'PAIR_EXISTS',
  })
}

function tooManyItems(given: number): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    `At most \`${maxItems}\` memberships can be changed at once; \`${given}\` were given. Send them in several calls.`,
  )
}
