import type { FastifyRequest } from 'fastify'

/** `Preference-Applied` of an answer to such a request. */
export const strictHandling = 'handling=strict'

const methodsWithBody: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']

/**
 * True for a request with a body that prefers `handling=strict` (RFC 7240, section 4.4), which refuses unknown fields.
 * If it has several preferences for the handling, the first one counts.
 */
export function prefersStrict({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  const { prefer } = headers
  if (prefer === undefined || !methodsWithBody.includes(method)) return false
  // Commas inside quotes separate nothing.
  const preferences = String(prefer).match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? []
  const handling = preferences.find(preference => /^\s*handling\s*(?:[=;]|$)/i.test(preference)) ?? ''
  return /^\s*handling\s*=\s*("?)strict\1\s*(?:;|$)/i.test(handling)
}
