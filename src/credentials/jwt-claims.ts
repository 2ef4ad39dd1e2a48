import type { JWTPayload } from 'jose'
import { isAccountCode } from '../domain/directory/account-code.ts'
import { isStorable } from '../domain/directory/directory.ts'
import { type Caller, isScope, type Scope, scopes } from './caller.ts'
import { invalidToken } from './read-bearer.ts'

/** In seconds: how far the clock of who issues tokens may be from ours. */
export const clockTolerance = 5
export const expired = 'The token has expired; get a new one.'

/** The caller that verified claims name (contract, section 1); `UNAUTHENTICATED` without an account or a subject. */
export function readCaller(claims: JWTPayload): Caller {
  const { account, sub, email, name } = claims
  if (typeof account !== 'string' || !isAccountCode(account)) {
    throw invalidToken('The claim `account` of the token must be an account code.')
  }
  if (typeof sub !== 'string' || sub === '') throw invalidToken('The token must have the claim `sub`.')
  return {
    accountCode: account,
    userId: readUserId(sub),
    subject: sub,
    // It goes into the events of what the caller changes.
    email: typeof email === 'string' && isStorable(email) ? email : null,
    displayName: typeof name === 'string' ? name : null,
    scopes: readScopes(claims),
  }
}

/** For claims that were verified before: `UNAUTHENTICATED` once their time is over. */
export function refuseExpired({ exp }: JWTPayload): void {
  if (exp !== undefined && exp + clockTolerance <= Date.now() / 1_000) throw invalidToken(expired)
}

function readUserId(sub: string): number | null {
  const id = /^[1-9]\d{0,15}$/.test(sub) ? Number(sub) : null
  return id !== null && Number.isSafeInteger(id) ? id : null
}

// `scope` and `scopes` alone grant anything. Without either a token has all scopes but `admin`. A token with `scp`, where other
// services look for scopes, and neither of the two was meant to be narrower than that: it has none.
function readScopes({ scope, scopes: list, scp }: JWTPayload): ReadonlySet<Scope> {
  const claimed = [scope, list].filter(claim => claim !== undefined)
  if (claimed.length === 0) return new Set(scp === undefined ? scopes.filter(name => name !== 'admin') : [])
  const names = claimed.flatMap(claim => (typeof claim === 'string' ? claim.split(' ') : claim))
  return new Set(names.filter(name => typeof name === 'string').filter(isScope))
}
