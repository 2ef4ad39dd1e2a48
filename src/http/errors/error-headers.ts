import type { FastifyReply } from 'fastify'
import type { RostrumError } from '../../errors.ts'

/** Sets what belongs to a failure: `Retry-After`, and for 401 and missing scopes the challenge of RFC 6750, section 3. */
export function setErrorHeaders(
  reply: FastifyReply,
  { code, message, facts, retryAfterSeconds }: RostrumError,
): void {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterSeconds)))
  if (code === 'UNAUTHENTICATED') reply.header('www-authenticate', challenge({ error: facts.error, message }))
  if (code === 'FORBIDDEN') reply.header('www-authenticate', challengeScope(facts.scope, message))
}

/** The challenge for a credential that lacks a scope. */
export function challengeScope(scope: string | number | undefined, message: string): string {
  return challenge({ error: 'insufficient_scope', scope, message })
}

interface Challenge {
  readonly error: string | number | undefined
  readonly scope?: string | number | undefined
  readonly message: string
}

// Without a credential the challenge stands alone: the RFC keeps the reason for those who sent one.
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
