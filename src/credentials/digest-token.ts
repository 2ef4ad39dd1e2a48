import { hash } from 'node:crypto'

/** SHA-256 of a token as text: the key it is kept under, so that how long a look-up takes says nothing of tokens there are. */
export function digestToken(token: string): string {
  return hash('sha256', token, 'base64')
}
