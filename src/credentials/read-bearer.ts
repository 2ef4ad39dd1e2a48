import { hash } from 'node:crypto'
import { invalidToken, RostrumError } from '../errors.ts'

const maxTokenLength = 8 * 2 ** 10

/**
 * Returns the token of an `Authorization` header (RFC 6750, section 2.1). Throws `UNAUTHENTICATED` if there is none.
 */
export function readBearer(header: string | undefined): string {
  if (header === undefined) {
    throw unauthenticated('No credential; send `Authorization: Bearer <token>`.')
  }
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
  if (token === undefined) {
    throw unauthenticated('The header `Authorization` must be `Bearer <token>`.')
  }
  if (token.length > maxTokenLength) {
    throw invalidToken(`The token is longer than ${maxTokenLength} characters.`)
  }
  return token
}

function unauthenticated(message: string): RostrumError {
  return new RostrumError('UNAUTHENTICATED', message)
}

/** Returns the error for every API token that does not work: unknown, revoked, expired, or of a run that has ended. */
export function unknownToken(): RostrumError {
  return invalidToken('The token is unknown, was revoked, or has expired.')
}

/** True for three base64url parts, the first of which encodes a JSON object. An API token never looks like this. */
export function isJwtShaped(token: string): boolean {
  return /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(token)
}

/**
 * Returns the SHA-256 of a token as text. It is the cache key, so that the time of a look-up reveals nothing about
 * tokens.
 */
export function digestToken(token: string): string {
  return hash('sha256', token, 'base64')
}
