import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { TokenStore } from '../domain/store.ts'
import { type Caller, isScope } from './caller.ts'
import { unknownToken } from './read-bearer.ts'

const maxKept = 10_000
// About 1 MB, whatever is made up.
const maxUnknown = 10_000
// A token may be created at another gateway meanwhile, and is then refused for as long.
const unknownForMs = 1_000

/** Whose API token has this digest; `UNAUTHENTICATED` for one that is unknown or revoked. */
export type FindApiTokenCaller = (digest: string) => Caller | Promise<Caller>

/**
 * Finds callers in the store, and again without it for as long as the store says that nothing has changed: so a token that another
 * process revokes is worthless at once. One that is not good is looked up again after a second, or once something has changed.
 */
export function createApiTokenCallers(tokens: TokenStore): FindApiTokenCaller {
  const kept = new LRUCache<string, Caller>({ max: maxKept })
  const unknown = new LRUCache<string, true>({ max: maxUnknown, ttl: unknownForMs })
  let keptMark: number | null = null

  // The mark is asked before the row: what changes between the two is in the row, or shows in the next mark.
  async function readCaller(digest: string, mark: number | null): Promise<Caller> {
    const sha256 = Buffer.from(digest, 'base64')
    const candidates = await tokens.findBySha256(sha256)
    const found = candidates.find(candidate => timingSafeEqual(candidate.sha256, sha256))
    if (found === undefined) {
      if (mark === keptMark) unknown.set(digest, true)
      throw unknownToken()
    }
    const { accountCode, userId, email, displayName, scopes } = found
    const rights = new Set(scopes.filter(isScope))
    const caller = { accountCode, userId, subject: null, email, displayName, scopes: rights }
    if (mark !== null && mark === keptMark) kept.set(digest, caller)
    return caller
  }

  return digest => {
    const mark = tokens.changeMark()
    if (mark !== keptMark) {
      kept.clear()
      unknown.clear()
    }
    keptMark = mark
    const caller = kept.get(digest)
    if (caller !== undefined) return caller
    if (unknown.has(digest)) throw unknownToken()
    return readCaller(digest, mark)
  }
}
