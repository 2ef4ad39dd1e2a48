import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isExpired } from '../domain/directory/api-token.ts'
import type { TokenStore } from '../domain/directory/token-store.ts'
import type { SpanParent } from '../tracing/span.ts'
import { traceStore } from '../tracing/trace-store.ts'
import { type Caller, isScope } from './caller.ts'
import { unknownToken } from './read-bearer.ts'
import type { TokenUses, UsedToken } from './token-uses.ts'

const maxCached = 10_000
// Maximum number of unknown tokens in the cache, which then takes about 1 MB.
const maxUnknown = 10_000
// How long an unknown token stays in the cache, and is refused if another gateway creates it meanwhile.
const unknownTtlMs = 1_000

/**
 * Finds the caller of an API token by its digest. The span is that of what asks. Fails with `UNAUTHENTICATED` if the
 * token is unknown or not valid.
 */
export type FindApiTokenCaller = (digest: string, span: SpanParent | null) => Caller | Promise<Caller>

interface CachedCaller {
  readonly caller: Caller
  readonly expiresAt: Date | null
  readonly token: UsedToken
}

/**
 * Finds callers in the store and caches them until the store's change mark changes. So a token that another process
 * revokes stops working at once, and a token that expires stops in time. Unknown tokens are cached for up to 1 s.
 */
export function createApiTokenCallers(tokens: TokenStore, uses: TokenUses): FindApiTokenCaller {
  const cached = new LRUCache<string, CachedCaller>({ max: maxCached })
  const unknown = new LRUCache<string, true>({ max: maxUnknown, ttl: unknownTtlMs })
  let cachedMark: number | null = null

  // Reads the caller. The mark was read before the row, so a change between the two reads is noticed by the next mark.
  async function readCaller(digest: string, mark: number | null, span: SpanParent | null): Promise<Caller> {
    const sha256 = Buffer.from(digest, 'base64')
    const candidates = await traceStore(tokens, span).findBySha256(sha256)
    const found = candidates.find(token => timingSafeEqual(token.sha256, sha256) && !isExpired(token))
    if (found === undefined) {
      if (mark === cachedMark) unknown.set(digest, true)
      throw unknownToken()
    }
    const { id, accountCode, userId, email, displayName, scopes, expiresAt, lastUsedOn } = found
    const rights = new Set(scopes.filter(isScope))
    const caller = { accountCode, tokenId: id, userId, subject: null, email, displayName, scopes: rights }
    const token = { id, lastUsedOn }
    uses.note(token)
    if (mark !== null && mark === cachedMark) cached.set(digest, { caller, expiresAt, token })
    return caller
  }

  return (digest, span) => {
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
    return readCaller(digest, mark, span)
  }
}
