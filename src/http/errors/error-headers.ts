import type { FastifyReply } from 'fastify'
import type { Fact, RostrumError } from '../../errors.ts'

/**
 * Sets `Retry-After`, and the challenge of RFC 6750, section 3, for 401 and missing scopes. Keeps a challenge that a
 * route without bearer tokens has set.
 */
export function setErrorHeaders(
  reply: FastifyReply,
  { code, message, facts, retryAfterSeconds }: RostrumError,
): void {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterSeconds)))
  if (code === 'UNAUTHENTICATED' && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', challenge({ error: facts.error, message }))
  }
  if (code === 'FORBIDDEN') reply.header('www-authenticate', challengeScope(facts.scope, message))
}

/** Returns the challenge for a credential that lacks the scope. */
export function challengeScope(scope: Fact | undefined, message: string): string {
  return challenge({ error: 'insufficient_scope', scope, message })
}

interface Challenge {
  readonly error: Fact | undefined
  readonly scope?: Fact | undefined
  readonly message: string
}

// Builds a challenge. RFC 6750 shows the reason only to clients that sent a credential.
function challenge({ error, scope, message }: Challenge): string {
  const attributes = [
    'realm="rostrum"',
    ...(error === undefined ? [] : [`error="${error}"`, `error_description="${quotable(message)}"`]),
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
  ]
  return `Bearer ${attributes.join(', ')}`
}

function quotable(text: string): string {
  return text.replace(/[^ !#-[\]-~]/g, "'")
}
