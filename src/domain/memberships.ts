import type { Membership, MembershipPair } from './store.ts'

/** The rules of memberships (contract, section 2). All ids are positive safe integers, checked here. */
export interface Memberships {
  /** Those of the ids that exist, in the order asked, duplicates once. More than 1,000 ids: `BAD_USER_INPUT`. */
  list(accountCode: string, ids: readonly number[]): Promise<Membership[]>
  /** `CONFLICT` names the membership that the pair already has, also as the fact `existingId`. */
  add(accountCode: string, pair: MembershipPair): Promise<Membership>
  /** `NOT_FOUND`, `CONFLICT`, or `PRECONDITION_FAILED` where the version is none of `ifVersions`. */
  move(
    accountCode: string,
    id: number,
    change: Partial<MembershipPair>,
    ifVersions: readonly number[] | null,
  ): Promise<Membership>
  /** Answers the membership as it was. */
  remove(accountCode: string, id: number, ifVersions: readonly number[] | null): Promise<Membership>
}
