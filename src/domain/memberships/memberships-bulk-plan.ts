import type {
  BulkMode,
  ChangeResult,
  Membership,
  MembershipEvent,
  MembershipPair,
} from './membership-store.ts'
import type { Moved, Verdict } from './memberships-bulk-decision.ts'

/** The rows that an accepted bulk changes, each once. */
export interface BulkPlan {
  /**
   * Ids of the rows to delete: the removed rows, and the moved rows, which are inserted again. If rows that swap pairs
   * were updated instead, any order would violate the unique index.
   */
  readonly gone: readonly number[]
  readonly moved: readonly Membership[]
  readonly added: readonly MembershipPair[]
  /** Ids of users that must exist, each once. They are in ascending order, so that concurrent bulks do not deadlock. */
  readonly userIds: readonly number[]
  readonly teamIds: readonly number[]
}

/** Returns false if one change of an atomic bulk failed. */
export function shouldApply(verdicts: readonly Verdict[], mode: BulkMode): boolean {
  return mode === 'partial' || verdicts.every(isDone)
}

/** True if something was changed. An idempotency key then keeps the results. */
export function hasChanged(results: readonly ChangeResult[]): boolean {
  return results.some(isDone)
}

export function planBulk(verdicts: readonly Verdict[]): BulkPlan {
  const added = verdicts.flatMap(verdict => (verdict.kind === 'added' ? verdict.pair : []))
  const removed = verdicts.flatMap(verdict => (verdict.kind === 'removed' ? verdict.membership : []))
  const moved = verdicts.filter(isMove).map(({ membership }) => membership)
  const pairs = [...added, ...moved]
  return {
    gone: [...removed, ...moved].map(({ id }) => id),
    moved,
    added,
    userIds: ascending(pairs.map(({ userId }) => userId)),
    teamIds: ascending(pairs.map(({ teamId }) => teamId)),
  }
}

type BulkEvent = Pick<MembershipEvent, 'kind' | 'membershipId' | 'before' | 'after'>

export interface CompleteBulk {
  readonly results: readonly ChangeResult[]
  readonly events: readonly BulkEvent[]
}

/**
 * Returns the results and events of an applied bulk. `addedIds` are the ids of the plan's `added`, in the same order.
 */
export function completeBulk(verdicts: readonly Verdict[], addedIds: readonly number[]): CompleteBulk {
  const ids = addedIds.values()
  const idOf = new Map<number, number>()
  const events: BulkEvent[] = []
  const results = verdicts.map((verdict, index): ChangeResult => {
    switch (verdict.kind) {
      case 'added': {
        const id = requireId(ids.next().value)
        idOf.set(index, id)
        events.push({ kind: 'added', membershipId: id, before: null, after: verdict.pair })
        return { kind: 'added', membership: { id, ...verdict.pair, leader: null, version: 1 } }
      }
      case 'repeated':
        return { kind: 'duplicate', existingId: requireId(idOf.get(verdict.index)) }
      case 'moved':
        if (isMove(verdict)) events.push(describeMove(verdict))
        return { kind: 'moved', membership: verdict.membership }
      case 'removed':
        events.push(describeRemoval(verdict.membership))
        return verdict
      default:
        return verdict
    }
  })
  return { results, events }
}

function describeMove({ before, membership }: Moved): BulkEvent {
  return { kind: 'moved', membershipId: membership.id, before, after: membership }
}

function describeRemoval(membership: Membership): BulkEvent {
  return { kind: 'removed', membershipId: membership.id, before: membership, after: null }
}

/** Returns the results of a bulk that is not applied. */
export function undoBulk(verdicts: readonly Verdict[]): ChangeResult[] {
  return verdicts.map(verdict => {
    switch (verdict.kind) {
      case 'added':
      case 'moved':
      case 'removed':
        return { kind: 'undone' }
      default:
        return verdict
    }
  })
}

function isDone({ kind }: Verdict | ChangeResult): boolean {
  return kind === 'added' || kind === 'moved' || kind === 'removed'
}

// A move to the row's own values changes nothing.
function isMove(verdict: Verdict): verdict is Moved {
  return verdict.kind === 'moved' && verdict.membership.version !== verdict.before.version
}

function requireId(id: number | undefined): number {
  if (id === undefined) throw new Error('An added membership has no id.')
  return id
}

function ascending(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((one, other) => one - other)
}
