import type { MembershipEvent, MembershipPair } from '../domain/store.ts'

/** A change as it was made; who made it and when is known beside it. */
export type NewEvent = Pick<MembershipEvent, 'kind' | 'membershipId' | 'before' | 'after'>

export function readPair(userId: number | null, teamId: number | null): MembershipPair | null {
  return userId === null || teamId === null ? null : { userId, teamId }
}
