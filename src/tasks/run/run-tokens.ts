import { randomBytes } from 'node:crypto'
import { digestToken } from '../../credentials/digest-token.ts'
import type { Run } from './run.ts'

const prefix = 'rrun_'

/** The tokens that scripts find in `options.authorization`: each is good for its run, in this process, until the run ends. */
export interface RunTokens {
  mint(run: Run): string
  revoke(token: string): void
  /** The run that the token belongs to, while it lasts. */
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

/** The text without any token of a run: a script may log its own, or its parent's, but the system log must not show it. */
export function hideRunTokens(text: string): string {
  return text.includes(prefix) ? text.replace(/rrun_[\w-]{43}/g, '[token of a run]') : text
}
