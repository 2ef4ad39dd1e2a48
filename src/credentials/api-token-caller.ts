import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { TokenStore } from '../domain/store.ts'
import { type Caller, isScope } from './caller.ts'
import { unknownToken } from './read-bearer.ts'

const maxCached = 10_000
// About 1 MB.
const maxUnknown = 10_000
// A token that another gateway creates is refused for up to this long.
const unknownTtlMs = 1_000

/** Finds the caller of an API token by its digest. Fails with `UNAUTHENTICATED` if it is unknown or revoked. */
export type FindApiTokenCaller = (digest: string) => Caller | Promise<Caller>

/**
 * Finds callers in the store and caches them until the store's change mark changes, so that a token revoked by another
 * process stops working at once. Unknown tokens are cached for up to a second.
 */
export function createApiTokenCallers(tokens: TokenStore): FindApiTokenCaller {
  const cached = new LRUCache<string, Caller>({ max: maxCached })
  const unknown = new LRUCache<string, true>({ max: maxUnknown, ttl: unknownTtlMs })
  let cachedMark: number | null = null

  // The mark is read before the row, so that a change between the two reads changes the next mark.
  async function readCaller(digest: string, mark: number | null): Promise<Caller> {
    const sha256 = Buffer.from(digest, 'base64')
    const candidates = await tokens.findBySha256(sha256)
    const found = candidates.find(candidate => timingSafeEqual(candidate.sha256, sha256))
    if (found === undefined) {
      if (mark === cachedMark) unknown.set(digest, true)
      throw unknownToken()
    }
    const { accountCode, userId, email, displayName, scopes } = found
    const rights = new Set(scopes.filter(isScope))
    const caller = { accountCode, userId, subject: null, email, displayName, scopes: rights }
    if (mark !== null && mark === cachedMark) cached.set(digest, caller)
    return caller
  }

  return digest => {
    const mark = tokens.changeMark()
    if (mark !== cachedMark) {
      cached.clear()
      unknown.clear()
    }
    cachedMark = mark
    const caller = cached.get(digest)
    if (caller !== undefined) return caller
    if (unknown.has(digest)) throw unknownToken()
    return readCaller(digest, mark)
  }
}
