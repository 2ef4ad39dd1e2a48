import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../credentials/caller.ts'
import { prefersStrict, strictHandling } from '../rest/prefers-strict.ts'

/** What an idempotency key stores about its request. */
export interface RequestFingerprint {
  readonly fingerprint: Buffer
  /** The fingerprint that the previous version of the gateway makes of the same request. */
  readonly lastFingerprint: Buffer
}

// The first byte of a fingerprint. Fingerprints of version 1 have no such byte: they are just the 32 bytes of the
// digest.
const version = 2

/**
 * Identifies a request by everything that decides the answer of a write: method, URL, headers, body, and the caller
 * with its scopes, so that nobody gets the answer to somebody else's request. The content type counts, because the same
 * bytes can be JSON, a form or a source. Strict handling counts, because it refuses fields that are ignored otherwise.
 * Keys live for 24 hours, so after an update a gateway must also recognize fingerprints of the previous version
 * (contract, section 9). To change a fingerprint: raise `version`, write the new fingerprint, and let today's function
 * make `lastFingerprint`, with its own version byte. Remove that function with the next change, at least one release
 * later.
 */
export function fingerprintRequest(request: FastifyRequest, caller: Caller): RequestFingerprint {
  const parts = readParts(request, caller)
  const fingerprint = Buffer.concat([Buffer.of(version), digest([...parts, ...readConditions(request)])])
  return { fingerprint, lastFingerprint: digest(parts) }
}

/** Returns the parts of a request that both versions of fingerprints read. */
function readParts(request: FastifyRequest, caller: Caller): unknown[] {
  const { method, url, headers, state } = request
  const { userId, subject, email, displayName, scopes } = caller
  const who = [userId, subject, email, displayName, [...scopes].sort()]
  const { bodyDigest } = state
  const body = bodyDigest === null ? null : [kindOf(headers), bodyDigest.toString('base64')]
  return [method, url, headers['if-match'] ?? null, who, body]
}

/** Returns the headers that only version 2 reads. Version 1 ignored them. */
function readConditions(request: FastifyRequest): unknown[] {
  const ifNoneMatch = request.headers['if-none-match']
  return [
    ...(ifNoneMatch === undefined ? [] : [['if-none-match', ifNoneMatch]]),
    ...(prefersStrict(request) ? [strictHandling] : []),
  ]
}

function digest(parts: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

// Returns true for a form, false for JSON. Sources were added later, so they have a word of their own.
function kindOf({ 'content-type': type = '' }: FastifyRequest['headers']): boolean | 'source' {
  if (/^application\/x-www-form-urlencoded/i.test(type.trimStart())) return true
  return /^application\/json/i.test(type.trimStart()) ? false : 'source'
}
