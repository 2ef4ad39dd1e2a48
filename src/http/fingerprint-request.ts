import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../credentials/caller.ts'

/**
 * SHA-256 over all that decides the answer of a write: what is asked, and by whom with which rights, so that nobody gets by a key what
 * another was answered.
 */
export function fingerprintRequest({ method, url, body, headers }: FastifyRequest, caller: Caller): Buffer {
  const { userId, email, displayName, scopes } = caller
  const who = [userId, email, displayName, [...scopes].sort()]
  const parts = [method, url, headers['if-match'] ?? null, who, body ?? null]
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}
