import { RostrumError } from '../errors.ts'

const longestToken = 8 * 2 ** 10

/** The token in an `Authorization` header (RFC 6750, section 2.1); `UNAUTHENTICATED` if there is none. */
export function readBearer(header: string | undefined): string {
  if (header === undefined) {
    throw unauthenticated('No credential; send `Authorization: Bearer <token>`.')
  }
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
  if (token === undefined) {
    throw unauthenticated('The header `Authorization` must be `Bearer <token>`.')
  }
  if (token.length > longestToken) {
    throw invalidToken(`The token is longer than ${longestToken} characters.`)
  }
  return token
}

function unauthenticated(message: string): RostrumError {
  return new RostrumError('UNAUTHENTICATED', message)
}

/** What is said of every token that is not good here, be it made up, revoked, or of a run that is over. */
export function unknownToken(): RostrumError {
  return invalidToken('The token is not known here, or was revoked.')
}

/** A token was sent and is not good; the fact `error` is RFC 6750's word for it, for `WWW-Authenticate`. */
export function invalidToken(message: string, cause?: unknown): RostrumError {
  return new RostrumError('UNAUTHENTICATED', message, { facts: { error: 'invalid_token' }, cause })
}

/** Three parts of base64url, the first of which starts like a JSON object: what an API token of ours never is. */
export function isJwtShaped(token: string): boolean {
  return /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(token)
}
