import { randomBytes } from 'node:crypto'
import { digestToken } from '../../credentials/read-bearer.ts'
import type { Run } from '../../domain/scripts/run.ts'

const prefix = 'rrun_'

/** The tokens in `options.authorization` of scripts. A token is valid in this process until its run ends. */
export interface RunTokens {
  mint(run: Run): string
  revoke(token: string): void
  /** The run of the token; null after it has ended. */
  find(token: string): Run | null
}

export function createRunTokens(): RunTokens {
  const runs = new Map<string, Run>()
  return {
    mint(run) {
      const token = prefix + randomBytes(32).toString('base64url')
      runs.set(digestToken(token), run)
      return token
    },
    revoke(token) {
      runs.delete(digestToken(token))
    },
    find(token) {
      if (!token.startsWith(prefix)) return null
      return runs.get(digestToken(token)) ?? null
    },
  }
}

/**
 * Replaces run tokens in a text: a script may log its own or its parent's, but the system log must not show them.
 * Messages about a bad value show its beginning, so the beginning of a token is replaced too.
 */
export function hideRunTokens(text: string): string {
  return text.includes(prefix) ? text.replace(/rrun_[\w-]{16,43}/g, '[run token]') : text
}
