import { hash, randomBytes } from 'node:crypto'

const prefix = 'rst_'

/** Creates an API token of 256 random bits (contract, section 1). It is shown once and never stored. */
export function newApiToken(): string {
  return prefix + randomBytes(32).toString('base64url')
}

/**
 * Returns the SHA-256 of a token, 32 bytes, which is all that the store has of it. The hash needs no salt, because a
 * token is random.
 */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/**
 * True if the token has expired and so counts as unknown (contract, section 9). Each gateway uses its own clock, as for
 * a JWT.
 */
export function isExpired({ expiresAt }: { readonly expiresAt: Date | null }): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now()
}
