import type { FastifyReply } from 'fastify'
import type { Fact, RostrumError } from '../../errors.ts'

/** Returns `Retry-After`, and the challenge of RFC 6750, section 3, for 401 and missing scopes. */
export function errorHeaders({
  code,
  message,
  facts,
  retryAfterSeconds,
}: RostrumError): Readonly<Record<string, string>> {
  const { error, scope } = facts
  return {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
    ...(code === 'UNAUTHENTICATED' && { 'www-authenticate': challenge({ error, message }) }),
    ...(code === 'FORBIDDEN' && {
      'www-authenticate': challenge({ error: 'insufficient_scope', scope, message }),
    }),
  }
}

/** Sets the headers of a failure. Keeps a challenge that a route without bearer tokens has set. */
export function setErrorHeaders(reply: FastifyReply, failure: RostrumError): void {
  const { 'www-authenticate': challenge, ...headers } = errorHeaders(failure)
  reply.headers(headers)
  if (challenge !== undefined && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', challenge)
  }
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
