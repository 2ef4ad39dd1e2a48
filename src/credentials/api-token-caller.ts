import { timingSafeEqual } from 'node:crypto'
import { hashToken } from '../domain/api-token.ts'
import type { Store } from '../domain/store.ts'
import { type Caller, isScope } from './caller.ts'
import { unknownToken } from './read-bearer.ts'

/** Whose API token it is; `UNAUTHENTICATED` for one that is unknown or revoked. Read from the store every time. */
export async function findApiTokenCaller(store: Store, token: string): Promise<Caller> {
  const sha256 = hashToken(token)
  const candidates = await store.tokens.findBySha256(sha256)
  const found = candidates.find(candidate => timingSafeEqual(candidate.sha256, sha256))
  if (found === undefined) throw unknownToken()
  const { accountCode, userId, email, displayName, scopes } = found
  return { accountCode, userId, email, displayName, scopes: new Set(scopes.filter(isScope)) }
}
