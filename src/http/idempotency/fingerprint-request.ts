import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../credentials/caller.ts'
import { prefersStrict, strictHandling } from '../rest/prefers-strict.ts'

/**
 * Returns the SHA-256 of everything that decides the answer of a write: method, URL, headers and body, and the caller
 * with its scopes. So nobody reads an answer to somebody else. The content type counts too, because a body can differ
 * as JSON and as a form, and so does strict handling, which refuses what is ignored otherwise.
 */
export function fingerprintRequest(request: FastifyRequest, caller: Caller): Buffer {
  const { method, url, headers, state } = request
  const { userId, subject, email, displayName, scopes } = caller
  const who = [userId, subject, email, displayName, [...scopes].sort()]
  const { bodyDigest } = state
  const body = bodyDigest === null ? null : [isForm(headers), bodyDigest.toString('base64')]
  const parts = [
    method,
    url,
    headers['if-match'] ?? null,
    who,
    body,
    ...(prefersStrict(request) ? [strictHandling] : []),
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

function isForm({ 'content-type': type = '' }: FastifyRequest['headers']): boolean {
  return /^application\/x-www-form-urlencoded/i.test(type.trimStart())
}
