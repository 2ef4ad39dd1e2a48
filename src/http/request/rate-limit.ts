import { LRUCache } from 'lru-cache'
import type { RateLimit } from '../../config.ts'
import type { Caller } from '../../credentials/caller.ts'
import { digestToken } from '../../credentials/read-bearer.ts'
import { overloaded } from '../../errors.ts'
import type { CountRate } from './authenticate-request.ts'

// Credentials that are counted at once. One that is dropped begins again.
const maxCredentials = 100_000

interface Window {
  readonly endsAt: number
  used: number
}

/**
 * Returns a function that counts a request of a good credential and sets the fields of
 * draft-ietf-httpapi-ratelimit-headers. The calls of scripts are no requests, so they are not counted. A request with
 * the token of a run comes from outside, and counts to the credential that the run has its rights from.
 */
export function createRateLimiter({ requests, seconds }: RateLimit): CountRate {
  const windows = new LRUCache<string, Window>({ max: maxCredentials })
  const policy = `"token";q=${requests};w=${seconds}`
  return ({ state: { identity } }, reply) => {
    if (identity === null) return
    const credential = nameCredential(identity.caller)
    const now = performance.now()
    let window = windows.get(credential)
    if (window === undefined || window.endsAt <= now) {
      window = { endsAt: now + seconds * 1_000, used: 0 }
      windows.set(credential, window)
    }
    window.used++
    const left = Math.max(0, requests - window.used)
    // Adding and subtracting `now` can leave a rest, which would round a whole window up to one second more.
    const resetSeconds = Math.min(seconds, Math.max(1, Math.ceil((window.endsAt - now) / 1_000)))
    reply.header('ratelimit-policy', policy).header('ratelimit', `"token";r=${left};t=${resetSeconds}`)
    if (window.used > requests) {
      throw overloaded(`This credential may send ${requests} requests in ${seconds} s`, resetSeconds)
    }
  }
}

// Names the credential and not its text, because a caller may have any number of JWTs. The digest is short for any
// subject. Runs that no credential started share the window of their account.
function nameCredential({ tokenId, accountCode, subject }: Caller): string {
  return tokenId === undefined ? digestToken(JSON.stringify([accountCode, subject])) : String(tokenId)
}
