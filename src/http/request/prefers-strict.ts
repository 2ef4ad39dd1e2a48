import type { FastifyRequest } from 'fastify'

/** The value of `Preference-Applied` in the answer to a request with strict handling. */
export const strictHandling = 'handling=strict'

const methodsWithBody: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']

/**
 * True for a request with a body that prefers `handling=strict` (RFC 7240, section 4.4): unknown fields are then
 * refused. If the header has several preferences for the handling, the first one counts.
 */
export function prefersStrict({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  const { prefer } = headers
  if (prefer === undefined || !methodsWithBody.includes(method)) return false
  // Splits the header at commas, except commas inside quotes. A quote without an end reaches to the end of the header.
  // Otherwise the search would begin again at each quote, which takes a second for a header of 16 KiB.
  const preferences = String(prefer).match(/(?:[^,"]|"(?:[^"\\]|\\.?)*(?:"|$))+/g) ?? []
  const handling = preferences.find(preference => /^\s*handling\s*(?:[=;]|$)/i.test(preference)) ?? ''
  return /^\s*handling\s*=\s*("?)strict\1\s*(?:;|$)/i.test(handling)
}
