import { LRUCache } from 'lru-cache'
import type { Identity } from '../context.ts'
import type { Store } from '../domain/store.ts'
import { loadOnce } from '../load-once.ts'
import type { SpanParent } from '../tracing/span.ts'
import { traceStore } from '../tracing/trace-store.ts'
import { createApiTokenCallers } from './api-token-caller.ts'
import type { Caller } from './caller.ts'
import { readCaller, refuseExpired } from './jwt-claims.ts'
import { digestToken, isJwtShaped, readBearer } from './read-bearer.ts'
import type { TokenUses } from './token-uses.ts'
import type { JwtSettings } from './verify-jwt.ts'

/**
 * Finds the identity for an `Authorization` header (contract, section 1). Throws or rejects with `UNAUTHENTICATED`. If
 * the identity is cached, as for most requests, it is returned without a promise. The span is that of the request.
 */
export type Authenticate = (
  header: string | undefined,
  span: SpanParent | null,
) => Identity | Promise<Identity>

export interface Authenticator {
  readonly authenticate: Authenticate
  /** Checks the caller's credential again. Rejects with `UNAUTHENTICATED` if it was revoked or has expired. */
  confirm(caller: Caller): Promise<Caller>
}

interface Dependencies extends JwtSettings {
  readonly store: Store
  readonly tokenUses: TokenUses
  /** Returns the run that a run token belongs to; null after the run has ended. */
  readonly findRun: (token: string) => Identity['run']
}

// How often the signature of a JWT is verified again while a stream or a run of it goes on: its key may be withdrawn.
const verifyEveryMs = 4_000

export function createAuthenticator({ store, tokenUses, findRun, ...jwt }: Dependencies): Authenticator {
  const acceptsJwts = jwt.jwtSecret !== null || jwt.jwksUrl !== null
  // For each caller, a function that checks its credential again. A run uses it, because its rights end with the
  // credential that started it.
  const confirmations = new WeakMap<Caller, () => Promise<Caller> | Caller>()
  const knownAccounts = new LRUCache<string, true>({ max: 10_000 })

  // Loads the JWT library when the first JWT arrives.
  const loadVerifier = loadOnce(async () => {
    const { createJwtVerifier } = await import('./verify-jwt.ts')
    return createJwtVerifier(jwt)
  })

  // Finds the caller of a JWT. The issuer of JWTs decides which accounts exist, so an account is created when its first
  // token arrives.
  async function findJwtCaller(token: string, span: SpanParent | null): Promise<Caller> {
    const verifyJwt = await loadVerifier()
    const claims = await verifyJwt(token)
    const caller = readCaller(claims)
    let verifiedAt = performance.now()
    confirmations.set(caller, async () => {
      refuseExpired(claims)
      if (performance.now() - verifiedAt < verifyEveryMs) return caller
      await verifyJwt(token)
      verifiedAt = performance.now()
      return caller
    })
    if (!knownAccounts.has(caller.accountCode)) {
      await traceStore(store.accounts, span).ensure(caller.accountCode)
      knownAccounts.set(caller.accountCode, true)
    }
    return caller
  }

  const findApiTokenCaller = createApiTokenCallers(store.tokens, tokenUses)

  function identifyStored(token: string, span: SpanParent | null): Identity | Promise<Identity> {
    const digest = digestToken(token)
    const caller = findApiTokenCaller(digest, span)
    return caller instanceof Promise
      ? caller.then(found => identify(found, digest))
      : identify(caller, digest)
  }

  function identify(caller: Caller, digest: string): Identity {
    if (!confirmations.has(caller)) confirmations.set(caller, () => findApiTokenCaller(digest, null))
    return { caller, run: null }
  }

  async function identifyRun(run: NonNullable<Identity['run']>): Promise<Identity> {
    run.checkLease?.()
    await confirm(run.caller)
    return { caller: run.caller, run }
  }

  async function confirm(caller: Caller): Promise<Caller> {
    const confirmed = await confirmations.get(caller.source ?? caller)?.()
    return caller.source === undefined ? (confirmed ?? caller) : caller
  }

  return {
    confirm,
    authenticate(header, span) {
      const token = readBearer(header)
      const run = findRun(token)
      if (run !== null) return identifyRun(run)
      if (acceptsJwts && isJwtShaped(token))
        return findJwtCaller(token, span).then(caller => ({ caller, run }))
      return identifyStored(token, span)
    },
  }
}
