import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RostrumError } from '../../errors.ts'

/**
 * Maximum bytes of a whole head, URL included. It leaves room for 1,000 ids of 16 digits (contract, section 2), and for
 * several times as many, so that the refusal of too many ids can say so.
 */
export const maxHeadBytes = 128 * 2 ** 10

// Maximum bytes of the headers alone: Node's default.
const maxHeaderBytes = 16 * 2 ** 10

// Matches a host (RFC 3986, 3.2.2): a name, an IPv4 address, or an IPv6 address in brackets, with an optional port.
const host = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i

// Headers that a request has once, in lower case and as messages name them.
const single = [
  ['host', 'Host'],
  ['authorization', 'Authorization'],
] as const

export interface HeadRefusal {
  readonly error: RostrumError
  readonly status: number
}

/**
 * Refuses a head that Node accepts: an ambiguous one, which two servers in a row could read differently (400),
 * `CONNECT` (400), an expectation other than `100-continue` (417), and large headers (431).
 */
export function refuseHead({ raw }: FastifyRequest, reply: FastifyReply): HeadRefusal | null {
  const refusal = findAmbiguity(raw) ?? findUnspoken(raw)
  if (refusal !== null) {
    // Closes the connection, because it is unclear where the next request begins.
    reply.raw.shouldKeepAlive = false
    return refusal
  }
  const bytes = countHeaderBytes(raw)
  if (bytes <= maxHeaderBytes) return null
  return refuse(431, `The headers have ${bytes} bytes; at most ${maxHeaderBytes} are allowed.`)
}

// Finds what is ambiguous. An HTTP/1.1 request names exactly one host (RFC 9112, 3.2), and any request at most one
// credential. A body is framed only by `chunked`, which HTTP/1.0 does not have (6.1).
function findAmbiguity({ httpVersion, headers, rawHeaders }: IncomingMessage): HeadRefusal | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return refuse(400, 'Only HTTP/1.1 and HTTP/1.0 are supported.')
  for (const [lower, name] of single)
    if (count(lower, rawHeaders) > 1) return refuse(400, `The request has more than one \`${name}\` header.`)
  if (headers.host === undefined && httpVersion === '1.1')
    return refuse(400, 'The request has no `Host` header.')
  if (!host.test(headers.host ?? '')) return refuse(400, 'The `Host` header is not a valid host.')
  const encoding = headers['transfer-encoding']
  if (encoding === undefined) return null
  if (httpVersion === '1.0') return refuse(400, 'HTTP/1.0 has no `Transfer-Encoding`.')
  if (encoding.toLowerCase() === 'chunked') return null
  return refuse(400, 'The only supported `Transfer-Encoding` is `chunked`.')
}

function count(lower: string, rawHeaders: readonly string[]): number {
  let found = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === lower.length && name.toLowerCase() === lower) found++
  }
  return found
}

// Finds an expectation that this server does not support. HTTP/1.0 has no expectations (RFC 9110, 10.1.1).
function findUnspoken({ method, httpVersion, headers: { expect } }: IncomingMessage): HeadRefusal | null {
  if (method === 'CONNECT') return refuse(400, 'This server is not a proxy.')
  if (expect === undefined || httpVersion === '1.0' || /(?:^|\W)100-continue(?:$|\W)/i.test(expect))
    return null
  return refuse(417, 'The only supported `Expect` is `100-continue`.')
}

function countHeaderBytes({ rawHeaders }: IncomingMessage): number {
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length + 2
  return bytes
}

function refuse(status: number, message: string): HeadRefusal {
  return { error: new RostrumError('BAD_USER_INPUT', message), status }
}
