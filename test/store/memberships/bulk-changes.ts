import type {
  ChangeResult,
  MembershipChanges,
  MembershipMove,
  MembershipPair,
  MembershipRemoval,
} from '../../../src/domain/memberships/membership-store.ts'
import type { Store } from '../../../src/domain/store.ts'
import { by } from '../databases/origin.ts'

// Changes as the tests of bulks write them.

type Versions = readonly number[] | null

export type Change =
  | ({ readonly kind: 'add' } & MembershipPair)
  | ({ readonly kind: 'move' } & MembershipMove)
  | ({ readonly kind: 'remove' } & MembershipRemoval)

export function add(userId: number, teamId: number) {
  return { kind: 'add', userId, teamId } as const
}

export function move(id: number, change: Partial<MembershipPair>, ifVersions: Versions = null) {
  return { kind: 'move', id, change, ifVersions } as const
}

export function remove(id: number, ifVersions: Versions = null) {
  return { kind: 'remove', id, ifVersions } as const
}

/** Changes of one kind, as the store takes them. */
export function together(changes: readonly Change[]): MembershipChanges {
  const adds = changes.flatMap(change => (change.kind === 'add' ? toPair(change) : []))
  const moves = changes.filter(change => change.kind === 'move')
  const removals = changes.filter(change => change.kind === 'remove')
  if (adds.length === changes.length) return { kind: 'add', items: adds }
  if (moves.length === changes.length) return { kind: 'move', items: moves }
  if (removals.length === changes.length) return { kind: 'remove', items: removals }
  throw new Error('The changes are of different kinds.')
}

function toPair({ userId, teamId }: MembershipPair): MembershipPair {
  return { userId, teamId }
}

export function kindsOf(results: readonly ChangeResult[]): string[] {
  return results.map(({ kind }) => kind)
}

/** Adds memberships one by one, and gives their ids. */
export async function addEach(
  store: Store,
  pairs: readonly MembershipPair[],
  accountCode = 'a',
): Promise<number[]> {
  const ids: number[] = []
  for (const pair of pairs) {
    const added = await store.memberships.add(by(accountCode), pair)
    if (added.kind !== 'added') throw new Error('The pair was there before.')
    ids.push(added.membership.id)
  }
  return ids
}

export function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index + 1)
}
