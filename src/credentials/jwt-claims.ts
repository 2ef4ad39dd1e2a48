import type { JWTPayload } from 'jose'
import { isStorable } from '../domain/directory/directory.ts'
import { isName } from '../domain/name.ts'
import { type Caller, isScope, type Scope, scopes } from './caller.ts'
import { invalidToken } from './read-bearer.ts'

/** Allowed difference between the issuer's clock and this one, in seconds. */
export const clockToleranceSeconds = 5
export const expired = 'The token has expired; get a new one.'

/** The caller of verified claims (contract, section 1). Throws `UNAUTHENTICATED` without an account or a subject. */
export function readCaller(claims: JWTPayload): Caller {
  const { account, sub, email, name } = claims
  if (typeof account !== 'string' || !isName(account)) {
    throw invalidToken('The claim `account` of the token must be an account code.')
  }
  if (typeof sub !== 'string' || sub === '') throw invalidToken('The token must have the claim `sub`.')
  return {
    accountCode: account,
    userId: readUserId(sub),
    subject: sub,
    // Events of the caller's changes store the address.
    email: typeof email === 'string' && isStorable(email) ? email : null,
    displayName: typeof name === 'string' ? name : null,
    scopes: readScopes(claims),
  }
}

/** Throws `UNAUTHENTICATED` if claims that were verified before have expired. */
export function refuseExpired({ exp }: JWTPayload): void {
  if (exp !== undefined && exp + clockToleranceSeconds <= Date.now() / 1_000) throw invalidToken(expired)
}

function readUserId(sub: string): number | null {
  const id = /^[1-9]\d{0,15}$/.test(sub) ? Number(sub) : null
  return id !== null && Number.isSafeInteger(id) ? id : null
}

// Scopes that a token has only if it claims them (contract, section 9): a run's input can hold what other users sent.
const claimedScopes: readonly Scope[] = ['admin', 'functions:write', 'runs:read']

// Only `scope` and `scopes` grant scopes. Without both, a token has all scopes but these, unless it has `scp`, which
// other services read scopes from: such a token was meant to be limited, so it has none.
function readScopes({ scope, scopes: list, scp }: JWTPayload): ReadonlySet<Scope> {
  const claimed = [scope, list].filter(claim => claim !== undefined)
  if (claimed.length === 0)
    return new Set(scp === undefined ? scopes.filter(name => !claimedScopes.includes(name)) : [])
  const names = claimed.flatMap(claim => (typeof claim === 'string' ? claim.split(' ') : claim))
  return new Set(names.filter(name => typeof name === 'string').filter(isScope))
}
