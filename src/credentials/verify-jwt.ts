import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type RemoteJWKSet,
} from 'jose'
import { invalidToken } from '../errors.ts'
import { clockToleranceSeconds, expired } from './jwt-claims.ts'

export interface JwtSettings {
  readonly jwtSecret: string | null
  readonly jwksUrl: string | null
}

export type VerifyJwt = (token: string) => Promise<JWTPayload>

const symmetric = ['HS256', 'HS384', 'HS512']
const asymmetric = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

// Requires an expiry time. A token without one could only be revoked by replacing the key of all tokens.
const rules = { clockTolerance: clockToleranceSeconds, requiredClaims: ['exp'] }

// How long after a fetch a token of an unknown key may fetch the keys again. Anybody can send tokens with made-up keys,
// so this bounds what they cost the host of the JWKS: one fetch in 5 s for each gateway.
const cooldownMs = 5_000

const keySetOptions = {
  timeoutDuration: 3_000,
  // jose would count only fetches that succeeded, and fail with the error of one that did not.
  cooldownDuration: Number.POSITIVE_INFINITY,
  // How long a key works at most after it was withdrawn.
  cacheMaxAge: 600_000,
}

// By how much the wall clock may be set back without another fetch of the keys.
const maxStepBackMs = 1_000

/**
 * Returns a function that verifies a JWT and returns its claims. The secret verifies only HMAC and the JWKS only
 * asymmetric signatures, so that a public key is never used as a secret. It rejects with `UNAUTHENTICATED` for a bad
 * token, and with the original error if the JWKS cannot be fetched.
 */
export function createJwtVerifier({ jwtSecret, jwksUrl }: JwtSettings): VerifyJwt {
  const secret = jwtSecret === null ? null : new TextEncoder().encode(jwtSecret)
  const findKeySet = jwksUrl === null ? null : createKeySetFinder(new URL(jwksUrl))

  async function verify(token: string): Promise<JWTPayload> {
    const { alg, kid } = readHeader(token)
    if (secret !== null && symmetric.includes(alg)) {
      return requireExpiry(await jwtVerify(token, secret, { ...rules, algorithms: symmetric }))
    }
    if (findKeySet !== null && asymmetric.includes(alg)) {
      const verifyByKeySet = findKeySet()
      return requireExpiry(await verifyByKeySet(token, kid))
    }
    throw new errors.JOSEAlgNotAllowed('algorithm not allowed')
  }

  return async token => {
    try {
      return await verify(token)
    } catch (error) {
      throw isTokenError(error) ? invalidToken(describe(error), error) : error
    }
  }
}

// Returns the verification by the keys of a JWKS. jose measures their age by the wall clock. If that was set back, keys
// from before would count as fresh for as much longer: withdrawn ones would work, and new ones would not. So they are
// fetched again.
function createKeySetFinder(url: URL) {
  const create = () => createVerifyByKeySet(createRemoteJWKSet(url, keySetOptions))
  let verifyByKeySet = create()
  let startOfClock = findStartOfClock()

  return () => {
    const before = startOfClock
    startOfClock = findStartOfClock()
    if (startOfClock < before - maxStepBackMs) verifyByKeySet = create()
    return verifyByKeySet
  }
}

// The time by the wall clock at which the process began. It changes only if the clock is set.
function findStartOfClock(): number {
  return Date.now() - performance.now()
}

// Verifies tokens by a set of keys. If no known key fits, the token's key may be new, so the keys are fetched again.
function createVerifyByKeySet(jwks: RemoteJWKSet) {
  let fetchedAt = Number.NEGATIVE_INFINITY

  // While the keys cannot be fetched, the known ones go on.
  async function reload(): Promise<boolean> {
    if (!jwks.reloading) {
      if (performance.now() < fetchedAt + cooldownMs) return false
      fetchedAt = performance.now()
    }
    return jwks.reload().then(
      () => true,
      () => false,
    )
  }

  return async (token: string, kid: string | undefined) => {
    // jose fetches the keys itself if it has none, or old ones.
    if (!jwks.fresh) fetchedAt = performance.now()
    try {
      return await verifyByKeys(token, jwks)
    } catch (error) {
      if (!isOfUnknownKey(error, kid) || !(await reload())) throw error
      return verifyByKeys(token, jwks)
    }
  }
}

// A token that does not name its key is tried with each known one, so a bad signature can mean a new key too.
function isOfUnknownKey(error: unknown, kid: string | undefined): boolean {
  if (error instanceof errors.JWKSNoMatchingKey) return true
  return kid === undefined && error instanceof errors.JWSSignatureVerificationFailed
}

// Verifies a token by the key that fits its header, or by each one in turn if several fit, as in a rotation of keys
// without a `kid`.
async function verifyByKeys(token: string, jwks: RemoteJWKSet) {
  const options = { ...rules, algorithms: asymmetric }
  try {
    return await jwtVerify(token, jwks, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options)
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

// Refuses an expiry of infinity, which JSON makes of `1e400`.
function requireExpiry({ payload }: { readonly payload: JWTPayload }): JWTPayload {
  if (Number.isFinite(payload.exp)) return payload
  throw new errors.JWTClaimValidationFailed('endless', payload, 'exp', 'invalid')
}

function readHeader(token: string) {
  try {
    const { alg = 'none', kid } = decodeProtectedHeader(token)
    return { alg, kid }
  } catch (cause) {
    throw new errors.JWTInvalid('no header', { cause })
  }
}

// True for errors about the token. All errors of jose are, except the plain `JOSEError` and errors of fetching the key
// set.
function isTokenError(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError) || error.constructor === errors.JOSEError) return false
  return !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid)
}

// `check_failed` is jose's word for a claim that is well formed.
function isTooEarly(error: unknown): boolean {
  if (!(error instanceof errors.JWTClaimValidationFailed)) return false
  return error.claim === 'nbf' && error.reason === 'check_failed'
}

function describe(error: unknown): string {
  if (error instanceof errors.JWTExpired) return expired
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'exp')
    return 'The token must have the claim `exp`: the time at which it expires, in seconds since 1970.'
  if (isTooEarly(error)) return 'The token is not valid yet: its claim `nbf` is in the future.'
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The claim \`${error.claim}\` of the token is not valid.`
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'The token is signed with an algorithm that is not allowed.'
  return 'The token cannot be verified: its signature, key or format is not valid.'
}
