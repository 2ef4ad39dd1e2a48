import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RostrumError } from '../../errors.ts'

// RFC 3986, 3.2.2: a name, an address, or an address of version 6 in brackets; perhaps a port.
const host = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/**
 * Finds what two servers in a row could read in two ways, and Node lets pass: a request of HTTP/1.1 names one host (RFC 9112,
 * 3.2), and its body is framed by `chunked` alone, which HTTP/1.0 does not know (6.1). Gives the refusal, and has the
 * connection closed after it.
 */
export function refuseAmbiguousRequest({ raw }: FastifyRequest, reply: FastifyReply): RostrumError | null {
  const problem = findProblem(raw)
  if (problem === null) return null
  // Who knows where the next request begins.
  reply.raw.shouldKeepAlive = false
  return new RostrumError('BAD_USER_INPUT', problem)
}

function findProblem({ httpVersion, headers, rawHeaders }: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Only HTTP/1.1 and HTTP/1.0 are spoken here.'
  if (countHosts(rawHeaders) > 1) return 'The request has more than one `Host` header.'
  if (headers.host === undefined && httpVersion === '1.1') return 'The request has no `Host` header.'
  if (!host.test(headers.host ?? '')) return 'The `Host` header names no host.'
  const encoding = headers['transfer-encoding']
  if (encoding === undefined) return null
  if (httpVersion === '1.0') return 'HTTP/1.0 has no `Transfer-Encoding`.'
  return encoding.toLowerCase() === 'chunked' ? null : 'The only `Transfer-Encoding` taken is `chunked`.'
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
