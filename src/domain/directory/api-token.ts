import { hash, randomBytes } from 'node:crypto'

const prefix = 'rst_'

/** A new API token (contract, section 1), of 256 random bits. It is shown once and never stored. */
export function newApiToken(): string {
  return prefix + randomBytes(32).toString('base64url')
}

/**
 * SHA-256 of a token, 32 bytes. The store keeps nothing else of the token. A token is random, so the hash needs no
 * salt.
 */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** True once a token counts as unknown (contract, section 9). The clock is this gateway's, as it is for a JWT. */
export function isExpired({ expiresAt }: { readonly expiresAt: Date | null }): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now()
}
