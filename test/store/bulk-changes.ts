import type { ChangeResult, MembershipChange, MembershipPair, Store } from '../../src/domain/store.ts'
import { by } from './origin.ts'

// Changes as the tests of bulks write them.

type Versions = readonly number[] | null

export function add(userId: number, teamId: number): MembershipChange {
  return { kind: 'add', pair: { userId, teamId } }
}

export function move(
  id: number,
  change: Partial<MembershipPair>,
  ifVersions: Versions = null,
): MembershipChange {
  return { kind: 'move', id, change, ifVersions }
}

export function remove(id: number, ifVersions: Versions = null): MembershipChange {
  return { kind: 'remove', id, ifVersions }
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
