import type { JWTPayload } from 'jose'
import { readId } from '../domain/id.ts'
import { isName } from '../domain/name.ts'
import { describeUnstorable } from '../domain/storable-text.ts'
import { invalidToken } from '../errors.ts'
import { type Caller, isScope, operatorScopes, type Scope, scopes } from './caller.ts'

/** Allowed difference between the issuer's clock and this one, in seconds. */
export const clockToleranceSeconds = 5
export const expired = 'The token has expired; get a new one.'

/**
 * Returns the caller of verified claims (contract, section 1). Throws `UNAUTHENTICATED` without an account or a
 * subject.
 */
export function readCaller(claims: JWTPayload): Caller {
  const { account, sub, email, name } = claims
  if (typeof account !== 'string' || !isName(account)) {
    throw invalidToken('The claim `account` of the token must be an account code.')
  }
  if (sub === undefined) throw invalidToken('The token must have the claim `sub`.')
  if (typeof sub !== 'string' || sub === '')
    throw invalidToken('The claim `sub` of the token must be a text that is not empty.')
  return {
    accountCode: account,
    userId: readId(sub),
    subject: sub,
    // The address must be storable, because the events of the caller's changes contain it.
    email: typeof email === 'string' && describeUnstorable(email) === null ? email : null,
    displayName: typeof name === 'string' ? name : null,
    scopes: readScopes(claims),
  }
}

/** Throws `UNAUTHENTICATED` if claims that were verified before have expired. */
export function refuseExpired({ exp }: JWTPayload): void {
  if (exp !== undefined && exp + clockToleranceSeconds <= Date.now() / 1_000) throw invalidToken(expired)
}

// Scopes that a JWT must claim explicitly (contract, section 9). With `runs:read`, for example, a caller reads inputs
// that other users sent.
const claimedScopes: readonly Scope[] = ['admin', 'functions:write', 'runs:read', ...operatorScopes]

// Reads the scopes. Only `scope` and `scopes` grant scopes. A token without both has all scopes except `claimedScopes`,
// unless it has `scp`, which other services use for scopes: such a token was meant to be limited, so it gets none.
function readScopes({ scope, scopes: list, scp }: JWTPayload): ReadonlySet<Scope> {
  const claimed = [scope, list].filter(claim => claim !== undefined)
  if (claimed.length === 0)
    return new Set(scp === undefined ? scopes.filter(name => !claimedScopes.includes(name)) : [])
  const names = claimed.flatMap(claim => (typeof claim === 'string' ? claim.split(' ') : claim))
  return new Set(names.filter(name => typeof name === 'string').filter(isScope))
}
