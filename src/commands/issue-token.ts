import type { Scope } from '../credentials/caller.ts'
import { hashToken, newApiToken } from '../domain/directory/api-token.ts'
import type { User } from '../domain/directory/directory-store.ts'
import type { Store } from '../domain/store.ts'

export interface TokenRequest {
  readonly accountCode: string
  readonly scopes: readonly Scope[]
  /** Id of the token's user. Null: the user is found by email or created. */
  readonly userId: number | null
  readonly email: string | null
  readonly displayName: string | null
  readonly label: string | null
  /** Time of expiry. Null: the token never expires. */
  readonly expiresAt: Date | null
}

/** Creates a token, and its account and user if they do not exist. Returns the token, which is never shown again. */
export async function issueToken(store: Store, request: TokenRequest): Promise<string> {
  const { accountCode, scopes, label, expiresAt } = request
  await store.accounts.ensure(accountCode)
  const user = await findOrCreateUser(store, request)
  const token = newApiToken()
  const sha256 = hashToken(token)
  await store.tokens.create({ accountCode, userId: user.id, label, scopes, sha256, expiresAt })
  return token
}

async function findOrCreateUser(store: Store, request: TokenRequest): Promise<User> {
  const { accountCode, userId, email, displayName } = request
  const origin = { accountCode, step: null }
  const given = { ...(email !== null && { email }), ...(displayName !== null && { displayName }) }
  if (userId !== null) return store.users.save(origin, userId, given)
  const known = email === null ? null : await store.users.findByEmail(accountCode, email)
  if (known === null) return store.users.create(accountCode, { email, displayName })
  return displayName === null ? known : store.users.save(origin, known.id, { displayName })
}
