import type { LoggedEvent, Origin, Page, RowStore } from '../port.ts'

export interface Membership {
  readonly id: number
  readonly userId: number
  readonly teamId: number
  readonly leader: boolean | null
  /** The version, which is also the ETag. It starts at 1 and grows with every change of the row. */
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
  /** The pair before the change; null for `added`. */
  readonly before: MembershipPair | null
  /** The pair after the change; null for `removed`. */
  readonly after: MembershipPair | null
}

/** Another membership has the pair. */
export interface Duplicate {
  readonly kind: 'duplicate'
  readonly existingId: number
}

/** The membership does not exist, or is at none of the versions `ifVersions`. */
export type Miss = { readonly kind: 'missing' } | { readonly kind: 'stale'; readonly version: number }

export type AddResult = { readonly kind: 'added'; readonly membership: Membership } | Duplicate

export type MoveResult = { readonly kind: 'moved'; readonly membership: Membership } | Duplicate | Miss

export type RemoveResult = { readonly kind: 'removed'; readonly membership: Membership } | Miss

/** The removal of one membership, as part of a bulk. */
export interface MembershipRemoval {
  readonly id: number
  readonly ifVersions: readonly number[] | null
}

/** The move of one membership, as part of a bulk. */
export interface MembershipMove extends MembershipRemoval {
  readonly change: Partial<MembershipPair>
}

/** Changes of one kind that are made together. No id occurs twice. */
export type MembershipChanges =
  | { readonly kind: 'add'; readonly items: readonly MembershipPair[] }
  | { readonly kind: 'move'; readonly items: readonly MembershipMove[] }
  | { readonly kind: 'remove'; readonly items: readonly MembershipRemoval[] }

/** What a failing change undoes: all changes (`atomic`), or only itself (`partial`). */
export type BulkMode = 'atomic' | 'partial'

/**
 * The result of one change. If an atomic bulk changes nothing, its possible changes are `undone`. A pair is `repeated`
 * if the change with this index of the same bulk would have added it already.
 */
export type ChangeResult =
  | AddResult
  | MoveResult
  | RemoveResult
  | { readonly kind: 'undone' }
  | { readonly kind: 'repeated'; readonly index: number }

export interface BulkResult {
  /** False if an `atomic` change failed. Then nothing was changed. */
  readonly applied: boolean
  /** The results, in the order of the changes. */
  readonly results: readonly ChangeResult[]
}

export interface MembershipStore extends RowStore<Membership> {
  /** Adds a membership. Creates missing records of the user and the team in the same transaction. */
  add(origin: Origin, pair: MembershipPair): Promise<AddResult>
  /**
   * Moves a membership. Members that `change` leaves out stay. A change to the same values keeps the version and makes
   * no event. If `ifVersions` is set and the row has none of these versions at the moment of the change, it is `stale`.
   */
  move(
    origin: Origin,
    id: number,
    change: Partial<MembershipPair>,
    ifVersions: readonly number[] | null,
  ): Promise<MoveResult>
  remove(origin: Origin, id: number, ifVersions: readonly number[] | null): Promise<RemoveResult>
  /**
   * Makes the changes as if one after the other, in one transaction with a constant number of statements. Moves that
   * swap pairs in a ring are made together, before the others. The events have the order of the changes.
   */
  changeMany(origin: Origin, changes: MembershipChanges, mode: BulkMode): Promise<BulkResult>
  /** Returns one page for each user, with one statement. Rows of different users come mixed, in ascending id. */
  pageByUsers(accountCode: string, userIds: readonly number[], page: Page): Promise<Membership[]>
  pageByTeams(accountCode: string, teamIds: readonly number[], page: Page): Promise<Membership[]>
}
