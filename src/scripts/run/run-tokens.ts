import { randomBytes } from 'node:crypto'
import { digestToken } from '../../credentials/read-bearer.ts'
import type { Run } from '../../domain/scripts/run.ts'

const prefix = 'rrun_'

/** The tokens in `options.authorization` of scripts. A token is valid in this process until its run ends. */
export interface RunTokens {
  mint(run: Run): string
  revoke(token: string): void
  /** Returns the run of a token; null after the run has ended. */
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
 * Replaces run tokens in a text for the system log, because a script may log its own token or its parent's. The
 * beginning of a token is replaced too, because messages about a bad value show its beginning.
 */
export function hideRunTokens(text: string): string {
  return text.includes(prefix) ? text.replace(/rrun_[\w-]{16,43}/g, '[run token]') : text
}
