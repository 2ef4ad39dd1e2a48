import type { IdempotencyStore } from './idempotency/idempotency.ts'

/**
 * The port to the data. Every call names its account, and sees and changes rows of that account alone; only tokens are also
 * found without one, since it is they that name it.
 */
export interface Store {
  readonly memberships: MembershipStore
  readonly users: UserStore
  readonly teams: TeamStore
  readonly accounts: AccountStore
  readonly tokens: TokenStore
  readonly events: EventStore
  readonly idempotency: IdempotencyStore
  /** Rejects when the store cannot answer; `/ready` asks. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface Membership {
  readonly id: number
  readonly userId: number
  readonly teamId: number
  readonly leader: boolean | null
  /** Starts at 1 and grows with every change of the row; the ETag. */
  readonly version: number
}

export interface User {
  readonly id: number
  readonly email: string | null
  readonly displayName: string | null
}

export interface Team {
  readonly id: number
  readonly name: string | null
}

export interface MembershipPair {
  readonly userId: number
  readonly teamId: number
}

/** On whose behalf a row is changed, and as part of what; the change's event tells it. */
export interface Origin {
  readonly accountCode: string
  /** Null where the credential names nobody with an integer id. */
  readonly userId: number | null
  readonly email: string | null
  /** The transaction of the run that asks; where none does, the id of the request. */
  readonly transactionId: string
  /** Set where the request came with an idempotency key: this change is made under it once, whoever tries again. */
  readonly step: Step | null
}

/** A change of a request that came with an idempotency key: the first of it, the second and so on. */
export interface Step {
  readonly key: string
  readonly number: number
}

export type MembershipEventKind = 'added' | 'moved' | 'removed'

/** A change of a membership. It is written in the change's own transaction and never changed. */
export interface MembershipEvent {
  /** 1, 2, 3 and so on within the account, in the order of the commits: who has read one has seen all before it. */
  readonly sequence: number
  readonly kind: MembershipEventKind
  readonly membershipId: number
  /** Null for `added`. */
  readonly before: MembershipPair | null
  /** Null for `removed`. */
  readonly after: MembershipPair | null
  /** Who made it, as the credential said. */
  readonly userId: number | null
  readonly email: string | null
  readonly transactionId: string
  readonly at: Date
}

/** A slice of a parent's memberships in ascending id: those between the two exclusive bounds, the first or last `limit`. */
export interface Page {
  readonly after: number | null
  readonly before: number | null
  readonly limit: number
  readonly fromEnd: boolean
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

/** One of many changes that are made at once. */
export type MembershipChange =
  | { readonly kind: 'add'; readonly pair: MembershipPair }
  | {
      readonly kind: 'move'
      readonly id: number
      readonly change: Partial<MembershipPair>
      readonly ifVersions: readonly number[] | null
    }
  | { readonly kind: 'remove'; readonly id: number; readonly ifVersions: readonly number[] | null }

/** Whether one change that cannot be made undoes all (`atomic`) or is left out alone (`partial`). */
export type BulkMode = 'atomic' | 'partial'

/**
 * What became of one of them. Where nothing was done, those that could have been made are `undone`, and a pair that one of them, of
 * this index, would have had is `repeated`.
 */
export type ChangeResult =
  | AddResult
  | MoveResult
  | RemoveResult
  | { readonly kind: 'undone' }
  | { readonly kind: 'repeated'; readonly index: number }

export interface BulkResult {
  /** False where a change of `atomic` ones could not be made, and so none was. */
  readonly applied: boolean
  /** In the order of the changes. */
  readonly results: readonly ChangeResult[]
}

export interface RowStore<Row> {
  /** The rows that exist, in any order, in one statement whatever the number of ids. */
  findByIds(accountCode: string, ids: readonly number[]): Promise<Row[]>
  /** Returns a cached row. `undefined` means "not cached", not "does not exist". */
  findCached?(accountCode: string, id: number): Row | undefined
}

export interface MembershipStore extends RowStore<Membership> {
  /** Makes the records of user and team where they are missing, in the same transaction. */
  add(origin: Origin, pair: MembershipPair): Promise<AddResult>
  /**
   * One atomic UPDATE; what `change` leaves out stays; a change to the same values keeps the version and makes no event. With `ifVersions`
   * the row must have one of these versions, compared inside the statement, else `stale`.
   */
  move(
    origin: Origin,
    id: number,
    change: Partial<MembershipPair>,
    ifVersions: readonly number[] | null,
  ): Promise<MoveResult>
  remove(origin: Origin, id: number, ifVersions: readonly number[] | null): Promise<RemoveResult>
  /**
   * Makes the changes as if one after the other, each seeing what those before it did, in one transaction of some few statements
   * whatever their number. Their events have their order.
   */
  changeMany(origin: Origin, changes: readonly MembershipChange[], mode: BulkMode): Promise<BulkResult>
  /** For each of the users its page, ascending by id, all in one statement. Rows of different users come mixed. */
  pageByUsers(accountCode: string, userIds: readonly number[], page: Page): Promise<Membership[]>
  pageByTeams(accountCode: string, teamIds: readonly number[], page: Page): Promise<Membership[]>
}

/** The changes of memberships, for those who follow them. */
export interface EventStore {
  /** At most `limit` in ascending sequence, from the first after this one (0: from the beginning). */
  listAfter(accountCode: string, sequence: number, limit: number): Promise<MembershipEvent[]>
  /** The sequence of the newest; 0 where there is none. */
  newest(accountCode: string): Promise<number>
  /**
   * Calls the listener soon after a commit that may have written events of this account, or of any where it is null. Only a
   * hint: one can be lost, or come for nothing. Gives what ends it.
   */
  onChange(listener: ChangeListener): () => void
}

export type ChangeListener = (accountCode: string | null) => void

export interface UserStore extends RowStore<User> {
  /** Makes or changes the record; a detail left out stays as it is, null clears it. */
  save(accountCode: string, id: number, details: Partial<Omit<User, 'id'>>): Promise<User>
  /** The user with that email, the one of lowest id if there are several. */
  findByEmail(accountCode: string, email: string): Promise<User | null>
  /** Makes a user whose id no caller has given: ids from 2^52 up, so that they never meet those of callers' own systems. */
  create(accountCode: string, details: Omit<User, 'id'>): Promise<User>
}

export interface TeamStore extends RowStore<Team> {
  save(accountCode: string, id: number, details: Partial<Omit<Team, 'id'>>): Promise<Team>
}

export interface AccountStore {
  /** True while no account exists. */
  isEmpty(): Promise<boolean>
  /** Makes the account where it is missing; true when this call made it. */
  ensure(accountCode: string): Promise<boolean>
}

export interface ApiToken {
  readonly id: number
  readonly accountCode: string
  readonly userId: number
  readonly email: string | null
  readonly displayName: string | null
  readonly label: string | null
  readonly scopes: readonly string[]
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

export interface NewApiToken {
  readonly accountCode: string
  readonly userId: number
  readonly label: string | null
  readonly scopes: readonly string[]
  /** SHA-256 of the token, 32 bytes; the token itself is never stored. */
  readonly sha256: Buffer
}

export interface TokenStore {
  create(token: NewApiToken): Promise<ApiToken>
  /** Those with this hash that are not revoked (one, save for an operator's own token set for two accounts). */
  findBySha256(sha256: Buffer): Promise<(ApiToken & { readonly sha256: Buffer })[]>
  /**
   * Another number than before once a token or its user may have been changed, by whichever process; at the latest in the turn
   * of the event loop after the change. Null where the store cannot tell for less than a look-up.
   */
  changeMark(): number | null
  /** All of one account, or all there are; oldest first, revoked ones included. */
  list(accountCode: string | null): Promise<ApiToken[]>
  /**
   * False when there is no such token, or it was revoked before. Ids are unique over the store; with an account only a
   * token of that account is revoked.
   */
  revoke(id: number, accountCode?: string | null): Promise<boolean>
}
