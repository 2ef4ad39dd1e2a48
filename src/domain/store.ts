import type { CaseStore } from './cases/case-store.ts'
import type { FunctionStore } from './functions/function-store.ts'
import type { CaseTaskStore, HookStore } from './hooks/hook-store.ts'
import type { IdempotencyStore } from './idempotency/idempotency.ts'
import type { EventStore, LoggedEvent, Origin, Page, RowStore } from './port.ts'
import type { QueueStore } from './queue/queue-store.ts'
import type { RunStore } from './runs/run-store.ts'
import type { KeyFile } from './webhooks/keyring.ts'
import type { WebhookStore } from './webhooks/webhook-store.ts'

/**
 * The port to the data. Every call names an account, and reads and changes rows of that account alone. Only tokens are
 * also found without an account, because a token names its account.
 */
export interface Store {
  readonly memberships: MembershipStore
  readonly users: UserStore
  readonly teams: TeamStore
  readonly accounts: AccountStore
  readonly tokens: TokenStore
  readonly events: EventStore<MembershipEvent>
  readonly oldEvents: OldEvents
  readonly functions: FunctionStore
  readonly cases: CaseStore
  readonly hooks: HookStore
  readonly caseTasks: CaseTaskStore
  readonly runs: RunStore
  readonly queue: QueueStore

  readonly webhooks: WebhookStore
  readonly idempotency: IdempotencyStore
  /** The file of the key for secrets; null for a store that several gateways can share. */
  readonly keyFile: KeyFile | null
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

export interface UserStore extends RowStore<User> {
  /** Creates or changes the record. A detail that is left out stays unchanged; null clears it. */
  save(accountCode: string, id: number, details: Partial<Omit<User, 'id'>>): Promise<User>
  /** The user with this email; if there are several, the one with the lowest id. */
  findByEmail(accountCode: string, email: string): Promise<User | null>
  /** Creates a user with an id from 2^52 up, far from the ids of callers' own systems. */
  create(accountCode: string, details: Omit<User, 'id'>): Promise<User>
}

export interface TeamStore extends RowStore<Team> {
  save(accountCode: string, id: number, details: Partial<Omit<Team, 'id'>>): Promise<Team>
}

/** The events of memberships and of cases that are past their time. */
export interface OldEvents {
  /** Deletes the events of this age, some at a time. The newest event of each account stays. */
  forget(ageMs: number): Promise<void>
}

export interface AccountStore {
  /** True while no account exists. */
  isEmpty(): Promise<boolean>
  /** Creates the account if it is missing; true if this call created it. */
  ensure(accountCode: string): Promise<boolean>
  /** The bytes that count to the maximum of the account. */
  findStoredBytes(accountCode: string): Promise<number>
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
  /** From then on the token counts as unknown; null if it never expires. */
  readonly expiresAt: Date | null
  /** The day of the last use in UTC, as `2027-01-31`. Null if it was never used. */
  readonly lastUsedOn: string | null
}

export interface NewApiToken {
  readonly accountCode: string
  readonly userId: number
  readonly label: string | null
  readonly scopes: readonly string[]
  /** SHA-256 of the token, 32 bytes; the token itself is never stored. */
  readonly sha256: Buffer
  /** Never by default. */
  readonly expiresAt?: Date | null
}

export interface TokenStore {
  create(token: NewApiToken): Promise<ApiToken>
  /**
   * Tokens with this hash that are not revoked: one, or several if an operator set the same token for several
   * accounts. They may have expired, see `isExpired`.
   */
  findBySha256(sha256: Buffer): Promise<(ApiToken & { readonly sha256: Buffer })[]>
  /**
   * Returns a different number after a change of a token or its user by any process, at the latest in the turn of the
   * event loop after the change. Null if the store cannot know that for less than a look-up.
   */
  changeMark(): number | null
  /** The tokens of one account, or all: oldest first, revoked ones included. */
  list(accountCode: string | null): Promise<ApiToken[]>
  /**
   * False if there is no such token, or it was revoked before. Ids are unique in the store. With an account, only a
   * token of that account is revoked.
   */
  revoke(id: number, accountCode?: string | null): Promise<boolean>
  /** Sets the day of the last use of these tokens. A day that is not later than the one stored is not written. */
  noteUses(day: string, ids: readonly number[]): Promise<void>
}
