import type { IncomingMessage } from 'node:http'
import Negotiator from 'negotiator'

/** True if the client prefers an answer that is compressed with gzip (RFC 9110, 12.5.3). */
export function takesGzip(request: IncomingMessage): boolean {
  return new Negotiator(request).encoding(['gzip', 'identity']) === 'gzip'
}
