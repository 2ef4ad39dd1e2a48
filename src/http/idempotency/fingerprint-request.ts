import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../credentials/caller.ts'

/**
 * SHA-256 over all that decides the answer of a write: what is asked, byte by byte, and by whom with which rights, so that nobody
 * gets by a key what another was answered. The type is a part of it, since a body may be one thing as JSON and another as a form.
 */
export function fingerprintRequest({ method, url, headers, state }: FastifyRequest, caller: Caller): Buffer {
  const { userId, subject, email, displayName, scopes } = caller
  const who = [userId, subject, email, displayName, [...scopes].sort()]
  const { bodyDigest } = state
  const body = bodyDigest === null ? null : [isForm(headers), bodyDigest.toString('base64')]
  const parts = [method, url, headers['if-match'] ?? null, who, body]
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

function isForm({ 'content-type': type = '' }: FastifyRequest['headers']): boolean {
  return /^application\/x-www-form-urlencoded/i.test(type.trimStart())
}
