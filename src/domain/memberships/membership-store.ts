import type { LoggedEvent, Origin, Page, RowStore } from '../port.ts'

export interface Membership {
  readonly id: number
  readonly userId: number
  readonly teamId: number
  readonly leader: boolean | null
  /** Starts at 1 and grows with every change of the row; the ETag. */
  readonly version: number
}

export interface MembershipPair {
  readonly userId: number
  readonly teamId: number
}

export type MembershipEventKind = 'added' | 'moved' | 'removed'

export interface MembershipEvent extends LoggedEvent {
  readonly kind: MembershipEventKind
  readonly membershipId: number
  /** Null for `added`. */
  readonly before: MembershipPair | null
  /** Null for `removed`. */
  readonly after: MembershipPair | null
}

export type AddResult =
  | { readonly kind: 'added'; readonly membership: Membership }
  | { readonly kind: 'duplicate'; readonly existingId: number }

export type MoveResult =
  | { readonly kind: 'moved'; readonly membership: Membership }
  | { readonly kind: 'duplicate'; readonly existingId: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'stale'; readonly version: number }

export type RemoveResult =
  | { readonly kind: 'removed'; readonly membership: Membership }
  | { readonly kind: 'missing' }
  | { readonly kind: 'stale'; readonly version: number }

/** The removal of one of many memberships. */
export interface MembershipRemoval {
  readonly id: number
  readonly ifVersions: readonly number[] | null
}

/** The move of one of many memberships. */
export interface MembershipMove extends MembershipRemoval {
  readonly change: Partial<MembershipPair>
}

/** Changes of one kind that are made at once. No id comes twice. */
export type MembershipChanges =
  | { readonly kind: 'add'; readonly items: readonly MembershipPair[] }
  | { readonly kind: 'move'; readonly items: readonly MembershipMove[] }
  | { readonly kind: 'remove'; readonly items: readonly MembershipRemoval[] }

/** Whether one change that fails undoes all (`atomic`) or only itself (`partial`). */
export type BulkMode = 'atomic' | 'partial'

/**
 * The result of one change. If nothing is done, the changes that could have been made are `undone`, and a pair is
 * `repeated` if the change with this index would have added it.
 */
export type ChangeResult =
  | AddResult
  | MoveResult
  | RemoveResult
  | { readonly kind: 'undone' }
  | { readonly kind: 'repeated'; readonly index: number }

export interface BulkResult {
  /** False if an `atomic` change failed, so that none was made. */
  readonly applied: boolean
  /** In the order of the changes. */
  readonly results: readonly ChangeResult[]
}

export interface MembershipStore extends RowStore<Membership> {
  /** Creates missing records of the user and the team, in the same transaction. */
  add(origin: Origin, pair: MembershipPair): Promise<AddResult>
  /**
   * Members that `change` leaves out stay. A change to the same values keeps the version and makes no event. With
   * `ifVersions` the row must have one of these versions at the moment of the change, else `stale`.
   */
  move(
    origin: Origin,
    id: number,
    change: Partial<MembershipPair>,
    ifVersions: readonly number[] | null,
  ): Promise<MoveResult>
  remove(origin: Origin, id: number, ifVersions: readonly number[] | null): Promise<RemoveResult>
  /**
   * Makes the changes as if one after the other, in one transaction with a constant number of statements. Moves onto
   * each other's pairs in a ring are made together, before the others. The events have the order of the changes.
   */
  changeMany(origin: Origin, changes: MembershipChanges, mode: BulkMode): Promise<BulkResult>
  /** The page of each user, in one statement. Rows of different users come mixed, in ascending id. */
  pageByUsers(accountCode: string, userIds: readonly number[], page: Page): Promise<Membership[]>
  pageByTeams(accountCode: string, teamIds: readonly number[], page: Page): Promise<Membership[]>
}
