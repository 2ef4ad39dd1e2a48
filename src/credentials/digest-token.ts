import { hash } from 'node:crypto'

/** The SHA-256 of a token as text, used as a cache key so that the time of a lookup reveals nothing about tokens. */
export function digestToken(token: string): string {
  return hash('sha256', token, 'base64')
}
