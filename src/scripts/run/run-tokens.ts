import { randomFillSync } from 'node:crypto'
import { digestToken } from '../../credentials/read-bearer.ts'
import type { Run } from '../../domain/scripts/run.ts'

const prefix = 'rrun_'

// The system gives random bytes for many tokens in the time that it takes for one.
const secretBytes = 32
const pool = Buffer.alloc(128 * secretBytes)
let used = pool.length

function nextSecret(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const text = pool.toString('base64url', used, used + secretBytes)
  pool.fill(0, used, used + secretBytes)
  used += secretBytes
  return text
}

/** The tokens in `options.authorization` of scripts. A token is valid in this process until its run ends. */
export interface RunTokens {
  /** `revoke` makes the token invalid. */
  mint(run: Run): { readonly token: string; revoke(): void }
  /** Returns the run of a token; null after the run has ended. */
  find(token: string): Run | null
}

export function createRunTokens(): RunTokens {
  const runs = new Map<string, Run>()
  return {
    mint(run) {
      const token = prefix + nextSecret()
      const digest = digestToken(token)
      runs.set(digest, run)
      return { token, revoke: () => void runs.delete(digest) }
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
