import { LRUCache } from 'lru-cache'
import type { Identity } from '../context.ts'
import type { Store } from '../domain/store.ts'
import { loadOnce } from '../load-once.ts'
import { createApiTokenCallers } from './api-token-caller.ts'
import type { Caller } from './caller.ts'
import { digestToken } from './digest-token.ts'
import { readCaller, refuseExpired } from './jwt-claims.ts'
import { isJwtShaped, readBearer } from './read-bearer.ts'
import type { JwtSettings } from './verify-jwt.ts'

/**
 * From the `Authorization` header to who asks; throws or rejects with `UNAUTHENTICATED` (contract, section 1). No promise where
 * the answer is known: most requests come with a token that was seen before.
 */
export type Authenticate = (header: string | undefined) => Identity | Promise<Identity>

export interface Authenticator {
  readonly authenticate: Authenticate
  /** The caller as the credential that made it says now; `UNAUTHENTICATED` once that is no longer good: revoked, or past its time. */
  confirm(caller: Caller): Promise<Caller>
}

interface Dependencies extends JwtSettings {
  readonly store: Store
  /** The run that a token belongs to, while the run lasts. */
  readonly findRun: (token: string) => Identity['run']
}

export function createAuthenticator({ store, findRun, ...jwt }: Dependencies): Authenticator {
  const takesJwts = jwt.jwtSecret !== null || jwt.jwksUrl !== null
  // What a run does later stands on the credential that caused it, so each caller keeps the way to ask for that again.
  const confirmations = new WeakMap<Caller, () => Promise<Caller> | Caller>()
  const madeAccounts = new LRUCache<string, true>({ max: 10_000 })

  // Without JWTs the gateway does without the library for them.
  const loadVerifier = loadOnce(async () => {
    const { createJwtVerifier } = await import('./verify-jwt.ts')
    return createJwtVerifier(jwt)
  })

  // Whoever issues JWTs decides which accounts there are: theirs is made when its first token comes.
  async function findJwtCaller(token: string): Promise<Caller> {
    const verifyJwt = await loadVerifier()
    const claims = await verifyJwt(token)
    const caller = readCaller(claims)
    confirmations.set(caller, () => {
      refuseExpired(claims)
      return caller
    })
    if (!madeAccounts.has(caller.accountCode)) {
      await store.accounts.ensure(caller.accountCode)
      madeAccounts.set(caller.accountCode, true)
    }
    return caller
  }

  const findApiTokenCaller = createApiTokenCallers(store.tokens)

  function identifyStored(token: string): Identity | Promise<Identity> {
    const digest = digestToken(token)
    const caller = findApiTokenCaller(digest)
    return caller instanceof Promise
      ? caller.then(found => identify(found, digest))
      : identify(caller, digest)
  }

  function identify(caller: Caller, digest: string): Identity {
    if (!confirmations.has(caller)) confirmations.set(caller, () => findApiTokenCaller(digest))
    return { caller, run: null }
  }

  async function identifyRun(run: NonNullable<Identity['run']>): Promise<Identity> {
    await confirm(run.caller)
    return { caller: run.caller, run }
  }

  const confirm = async (caller: Caller): Promise<Caller> => confirmations.get(caller)?.() ?? caller

  return {
    confirm,
    authenticate(header) {
      const token = readBearer(header)
      const run = findRun(token)
      if (run !== null) return identifyRun(run)
      if (takesJwts && isJwtShaped(token)) return findJwtCaller(token).then(caller => ({ caller, run }))
      return identifyStored(token)
    },
  }
}
