import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../credentials/caller.ts'
import { prefersStrict, strictHandling } from '../request/prefers-strict.ts'

/** What an idempotency key stores about its request. */
export interface RequestFingerprint {
  readonly fingerprint: Buffer
  /** The fingerprint that the previous version of the gateway makes of the same request. */
  readonly lastFingerprint: Buffer
}

// The first byte of a fingerprint.
const version = 3

/**
 * Identifies a request by everything that decides the answer of a write: method, URL, headers, body, and the caller
 * with its scopes, so that nobody gets the answer to somebody else's request. The e-mail address and the name of the
 * caller do not count: they can change between a request and its repetition, even by the request itself. The content
 * type counts, because the same bytes can be JSON, a form or a source. Strict handling counts, because it refuses
 * fields that are ignored otherwise. Keys live for 24 hours, so after an update a gateway must also recognize
 * fingerprints of the previous version (contract, section 9). To change a fingerprint: raise `version`, write the new
 * fingerprint, and let today's function make `lastFingerprint`, with its own version byte. Remove that function with
 * the next change, at least one release later.
 */
export function fingerprintRequest(request: FastifyRequest, caller: Caller): RequestFingerprint {
  const { userId, subject, email, displayName, scopes } = caller
  const rights = [...scopes].sort()
  return {
    fingerprint: digest(version, request, [userId, subject, rights]),
    lastFingerprint: digest(2, request, [userId, subject, email, displayName, rights]),
  }
}

function digest(byte: number, request: FastifyRequest, who: readonly unknown[]): Buffer {
  const { method, url, headers, state } = request
  const { bodyDigest } = state
  const body = bodyDigest === null ? null : [kindOf(headers), bodyDigest.toString('base64')]
  const parts = [method, url, headers['if-match'] ?? null, who, body, ...readConditions(request)]
  return Buffer.concat([Buffer.of(byte), hash('sha256', JSON.stringify(parts), 'buffer')])
}

function readConditions(request: FastifyRequest): unknown[] {
  const ifNoneMatch = request.headers['if-none-match']
  return [
    ...(ifNoneMatch === undefined ? [] : [['if-none-match', ifNoneMatch]]),
    ...(prefersStrict(request) ? [strictHandling] : []),
  ]
}

// Returns true for a form, false for JSON. Sources were added later, so they have a word of their own.
function kindOf({ 'content-type': type = '' }: FastifyRequest['headers']): boolean | 'source' {
  if (/^application\/x-www-form-urlencoded/i.test(type.trimStart())) return true
  return /^application\/json/i.test(type.trimStart()) ? false : 'source'
}
