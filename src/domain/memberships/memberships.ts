import { findInOrder } from '../find-in-order.ts'
import type { Origin } from '../port.ts'
import type { Store } from '../store.ts'
import { alreadyMember, notFoundOrStale } from './membership-failures.ts'
import type { Membership, MembershipPair } from './membership-store.ts'
import { type BulkChanges, createBulkChanges } from './memberships-bulk.ts'

/** The rules of memberships (contract, section 2). */
export interface Memberships extends BulkChanges {
  /** Returns the memberships that exist, in the order of the ids, each once. */
  list(accountCode: string, ids: readonly number[]): Promise<Membership[]>
  /** Adds a membership. If the pair already has one, throws `CONFLICT` with its id, also as the fact `existingId`. */
  add(origin: Origin, pair: MembershipPair): Promise<Membership>
  /**
   * Moves a membership. Throws `NOT_FOUND`, `CONFLICT`, or `PRECONDITION_FAILED` if its version is not in `ifVersions`.
   */
  move(
    origin: Origin,
    id: number,
    change: Partial<MembershipPair>,
    ifVersions: readonly number[] | null,
  ): Promise<Membership>
  /** Removes a membership and returns it as it was. */
  remove(origin: Origin, id: number, ifVersions: readonly number[] | null): Promise<Membership>
}

export function createMemberships(store: Store): Memberships {
  const { memberships } = store
  return {
    list: (accountCode, ids) => findInOrder(memberships, accountCode, ids),

    async add(origin, pair) {
      const result = await memberships.add(origin, pair)
      if (result.kind === 'duplicate') throw alreadyMember(result.existingId)
      return result.membership
    },

    async move(origin, id, change, ifVersions) {
      const result = await memberships.move(origin, id, change, ifVersions)
      switch (result.kind) {
        case 'moved':
          return result.membership
        case 'duplicate':
          throw alreadyMember(result.existingId)
        default:
          throw notFoundOrStale({ id, ifVersions }, result)
      }
    },

    async remove(origin, id, ifVersions) {
      const result = await memberships.remove(origin, id, ifVersions)
      if (result.kind !== 'removed') throw notFoundOrStale({ id, ifVersions }, result)
      return result.membership
    },

    ...createBulkChanges(store),
  }
}
