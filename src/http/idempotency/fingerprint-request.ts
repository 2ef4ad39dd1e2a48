import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../credentials/caller.ts'
import { prefersStrict, strictHandling } from '../rest/prefers-strict.ts'

/** What a key keeps of its request. */
export interface RequestFingerprint {
  readonly fingerprint: Buffer
  /** The one that the last version makes of the same request. */
  readonly lastFingerprint: Buffer
}

// The first byte of a fingerprint. Version 1 has none: its fingerprints are the 32 bytes of the digest alone.
const version = 2

/**
 * Identifies a request by everything that decides the answer of a write: method, URL, headers and body, and the caller
 * with its scopes. So nobody reads an answer to somebody else. The content type counts too, because a body can differ
 * as JSON, as a form and as a source, and so does strict handling, which refuses what is ignored otherwise.
 *
 * Keys live for 24 hours, so a gateway also finds those that the last version of it has written (contract, section 9).
 * To change a fingerprint: raise `version`, write the new fingerprint, and let the function of today make
 * `lastFingerprint`, with its own version byte. Remove that function with the next change, at least one release later.
 */
export function fingerprintRequest(request: FastifyRequest, caller: Caller): RequestFingerprint {
  const parts = readParts(request, caller)
  const fingerprint = Buffer.concat([Buffer.of(version), digest([...parts, ...readConditions(request)])])
  return { fingerprint, lastFingerprint: digest(parts) }
}

/** Returns what versions 1 and 2 read of a request. */
function readParts(request: FastifyRequest, caller: Caller): unknown[] {
  const { method, url, headers, state } = request
  const { userId, subject, email, displayName, scopes } = caller
  const who = [userId, subject, email, displayName, [...scopes].sort()]
  const { bodyDigest } = state
  const body = bodyDigest === null ? null : [kindOf(headers), bodyDigest.toString('base64')]
  return [method, url, headers['if-match'] ?? null, who, body]
}

/** Returns what only version 2 reads. Version 1 ignored these headers, also as parts of a fingerprint. */
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

// True for a form, false for JSON; sources came later.
function kindOf({ 'content-type': type = '' }: FastifyRequest['headers']): boolean | 'source' {
  if (/^application\/x-www-form-urlencoded/i.test(type.trimStart())) return true
  return /^application\/json/i.test(type.trimStart()) ? false : 'source'
}
