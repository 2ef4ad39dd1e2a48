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
  /** The time from which the token counts as unknown; null if it never expires. */
  readonly expiresAt: Date | null
  /** The day of the last use in UTC, such as `2027-01-31`; null if it was never used. */
  readonly lastUsedOn: string | null
}

export interface NewApiToken {
  readonly accountCode: string
  readonly userId: number
  readonly label: string | null
  readonly scopes: readonly string[]
  /** The SHA-256 of the token, 32 bytes. The token itself is never stored. */
  readonly sha256: Buffer
  /** The time of expiry. Absent or null: the token never expires. */
  readonly expiresAt?: Date | null
}

export interface TokenStore {
  create(token: NewApiToken): Promise<ApiToken>
  /**
   * Creates the first account of the store, a user of this name and the token, all or none. Returns null, and creates
   * nothing, if there is an account.
   */
  createFirst(token: Omit<NewApiToken, 'userId'>, displayName: string): Promise<ApiToken | null>
  /**
   * Returns the tokens with this hash that are not revoked: usually one, or several if an operator set the same token
   * for several accounts. They may have expired, see `isExpired`.
   */
  findBySha256(sha256: Buffer): Promise<(ApiToken & { readonly sha256: Buffer })[]>
  /**
   * Returns a number that changes when any process changes a token or its user, at the latest in the turn of the event
   * loop after the change. Returns null if the store cannot know this for less than the cost of a look-up.
   */
  changeMark(): number | null
  /** Returns the tokens of one account, or of all if it is null: oldest first, including revoked ones. */
  list(accountCode: string | null): Promise<ApiToken[]>
  /**
   * Revokes a token. Returns false if there is no such token, or it was revoked before. Ids are unique in the store.
   * With an account, revokes only a token of that account.
   */
  revoke(id: number, accountCode?: string | null): Promise<boolean>
  /** Sets the day of the last use of these tokens. A stored day that is the same or later stays. */
  noteUses(day: string, ids: readonly number[]): Promise<void>
}
