import { LRUCache } from 'lru-cache'
import type { Store } from '../domain/store.ts'
import type { Run } from '../tasks/run.ts'
import { findApiTokenCaller } from './api-token-caller.ts'
import type { Caller } from './caller.ts'
import { readCaller } from './jwt-claims.ts'
import { readBearer } from './read-bearer.ts'
import type { RunTokens } from './run-tokens.ts'
import { createJwtVerifier, isJwtShaped, type JwtSettings } from './verify-jwt.ts'

export interface Identity {
  readonly caller: Caller
  /** The run whose token it is, if it is one; what the request does is then done by that run. */
  readonly run: Run | null
}

/** From the `Authorization` header to who asks; rejects with `UNAUTHENTICATED` (contract, section 1). */
export type Authenticate = (header: string | undefined) => Promise<Identity>

interface Dependencies extends JwtSettings {
  readonly store: Store
  readonly runTokens: RunTokens
}

export function createAuthenticator({ store, runTokens, ...jwt }: Dependencies): Authenticate {
  const verifyJwt = createJwtVerifier(jwt)
  const takesJwts = jwt.jwtSecret !== null || jwt.jwksUrl !== null
  const madeAccounts = new LRUCache<string, true>({ max: 10_000 })

  // Whoever issues JWTs decides which accounts there are: theirs is made when its first token comes.
  async function findJwtCaller(token: string): Promise<Caller> {
    const caller = readCaller(await verifyJwt(token))
    if (!madeAccounts.has(caller.accountCode)) {
      await store.accounts.ensure(caller.accountCode)
      madeAccounts.set(caller.accountCode, true)
    }
    return caller
  }

  return async header => {
    const token = readBearer(header)
    const run = runTokens.find(token)
    if (run !== null) return { caller: run.caller, run }
    if (takesJwts && isJwtShaped(token)) return { caller: await findJwtCaller(token), run: null }
    return { caller: await findApiTokenCaller(store, token), run: null }
  }
}
