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
