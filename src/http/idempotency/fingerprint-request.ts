import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../credentials/caller.ts'

/**
 * Returns the SHA-256 of everything that decides the answer of a write: method, URL, headers and body, and the caller
 * with its scopes. So nobody reads an answer to somebody else. The content type counts too, because a body can differ
 * as JSON, as a form and as a source.
 */
export function fingerprintRequest({ method, url, headers, state }: FastifyRequest, caller: Caller): Buffer {
  const { userId, subject, email, displayName, scopes } = caller
  const who = [userId, subject, email, displayName, [...scopes].sort()]
  const { bodyDigest } = state
  const body = bodyDigest === null ? null : [kindOf(headers), bodyDigest.toString('base64')]
  const ifNoneMatch = headers['if-none-match']
  const parts = [method, url, headers['if-match'] ?? null, who, body]
  // Stored fingerprints of requests without the header stay as they were.
  if (ifNoneMatch !== undefined) parts.push(ifNoneMatch)
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

// True for a form, false for JSON; sources came later.
function kindOf({ 'content-type': type = '' }: FastifyRequest['headers']): boolean | 'source' {
  if (/^application\/x-www-form-urlencoded/i.test(type.trimStart())) return true
  return /^application\/json/i.test(type.trimStart()) ? false : 'source'
}
