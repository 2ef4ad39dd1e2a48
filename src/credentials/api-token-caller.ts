import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isExpired } from '../domain/directory/api-token.ts'
import type { TokenStore } from '../domain/directory/token-store.ts'
import { type Caller, isScope } from './caller.ts'
import { unknownToken } from './read-bearer.ts'
import type { TokenUses, UsedToken } from './token-uses.ts'

const maxCached = 10_000
// Maximum number of cached unknown tokens, about 1 MB.
const maxUnknown = 10_000
// A token that another gateway creates is refused for up to this long.
const unknownTtlMs = 1_000

/** Finds the caller of an API token by its digest. Fails with `UNAUTHENTICATED` if it is unknown or no longer valid. */
export type FindApiTokenCaller = (digest: string) => Caller | Promise<Caller>

interface CachedCaller {
  readonly caller: Caller
  readonly expiresAt: Date | null
  readonly token: UsedToken
}

/**
 * Finds callers in the store and caches them until the store's change mark changes, so that a token revoked by another
 * process stops working at once, and one that expires does so on time. Unknown tokens are cached for up to a second.
 */
export function createApiTokenCallers(tokens: TokenStore, uses: TokenUses): FindApiTokenCaller {
  const cached = new LRUCache<string, CachedCaller>({ max: maxCached })
  const unknown = new LRUCache<string, true>({ max: maxUnknown, ttl: unknownTtlMs })
  let cachedMark: number | null = null

  // The mark is read before the row, so that a change between the two reads changes the next mark.
  async function readCaller(digest: string, mark: number | null): Promise<Caller> {
    const sha256 = Buffer.from(digest, 'base64')
    const candidates = await tokens.findBySha256(sha256)
    const found = candidates.find(token => timingSafeEqual(token.sha256, sha256) && !isExpired(token))
    if (found === undefined) {
      if (mark === cachedMark) unknown.set(digest, true)
      throw unknownToken()
    }
    const { id, accountCode, userId, email, displayName, scopes, expiresAt, lastUsedOn } = found
    const rights = new Set(scopes.filter(isScope))
    const caller = { accountCode, userId, subject: null, email, displayName, scopes: rights }
    const token = { id, lastUsedOn }
    uses.note(token)
    if (mark !== null && mark === cachedMark) cached.set(digest, { caller, expiresAt, token })
    return caller
  }

  return digest => {
    const mark = tokens.changeMark()
    if (mark !== cachedMark) {
      cached.clear()
      unknown.clear()
    }
    cachedMark = mark
    const found = cached.get(digest)
    if (found !== undefined && !isExpired(found)) {
      uses.note(found.token)
      return found.caller
    }
    if (unknown.has(digest)) throw unknownToken()
    return readCaller(digest, mark)
  }
}
