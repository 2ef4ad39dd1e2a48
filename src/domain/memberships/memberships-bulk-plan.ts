import type { BulkMode, ChangeResult, Membership, MembershipEvent, MembershipPair } from '../store.ts'
import type { Verdict } from './memberships-bulk-decision.ts'

/** What a decided bulk comes to, whatever happened to a row on the way. */
export interface BulkPlan {
  /**
   * Ids of the rows to delete: those that end, and those of `moved`, which come back after it. Rows that pass pairs on to one another
   * would else stand in each other's way, whatever the order.
   */
  readonly gone: readonly number[]
  readonly moved: readonly Membership[]
  readonly added: readonly MembershipPair[]
  /** Records that must be there, each once, ascending: the order in which concurrent bulks do not deadlock. */
  readonly userIds: readonly number[]
  readonly teamIds: readonly number[]
  readonly eventCount: number
}

/** False where one change of an atomic bulk could not be made. */
export function isToApply(verdicts: readonly Verdict[], mode: BulkMode): boolean {
  return mode === 'partial' || verdicts.every(isDone)
}

/** True for results that an idempotency key is to remember. */
export function hasChanged(results: readonly ChangeResult[]): boolean {
  return results.some(isDone)
}

export function planBulk(verdicts: readonly Verdict[]): BulkPlan {
  const ends = new Map<number, Membership | null>()
  const added: MembershipPair[] = []
  const pairs: MembershipPair[] = []
  let removals = 0
  for (const verdict of verdicts) {
    if (verdict.kind === 'added') {
      added.push(verdict.pair)
      pairs.push(verdict.pair)
    } else if (verdict.kind === 'removed') {
      ends.set(verdict.membership.id, null)
      removals += 1
    } else if (isMove(verdict)) {
      ends.set(verdict.membership.id, verdict.membership)
      pairs.push(verdict.membership)
    }
  }
  return {
    gone: [...ends.keys()],
    moved: [...ends.values()].filter(row => row !== null),
    added,
    userIds: ascending(pairs.map(({ userId }) => userId)),
    teamIds: ascending(pairs.map(({ teamId }) => teamId)),
    eventCount: pairs.length + removals,
  }
}

type BulkEvent = Pick<MembershipEvent, 'kind' | 'membershipId' | 'before' | 'after'>

export interface CompleteBulk {
  readonly results: readonly ChangeResult[]
  readonly events: readonly BulkEvent[]
}

/** Results and events of a bulk that was done; `addedIds` are those of the plan's `added`, in their order. */
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
        if (isMove(verdict)) events.push(tellMove(verdict))
        return { kind: 'moved', membership: verdict.membership }
      case 'removed':
        events.push(tellRemoval(verdict.membership))
        return verdict
      default:
        return verdict
    }
  })
  return { results, events }
}

function tellMove({ before, membership }: Moved): BulkEvent {
  return { kind: 'moved', membershipId: membership.id, before, after: membership }
}

function tellRemoval(membership: Membership): BulkEvent {
  return { kind: 'removed', membershipId: membership.id, before: membership, after: null }
}

/** Results of a bulk of which nothing is done. */
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

type Moved = Verdict & { readonly kind: 'moved' }

// A move to the values that the row has changes nothing.
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
