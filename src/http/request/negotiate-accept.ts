import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'

/** The media type of server-sent events. */
export const eventStream = 'text/event-stream'

// Media types in our order of preference, for clients that accept several equally.
const json = withCharset(['application/json', 'application/graphql-response+json'])
const stream = withCharset([eventStream])

interface Negotiated {
  /**
   * The media type of the answer to a GraphQL request: JSON, or a stream for clients that accept nothing else. Null if
   * `Accept` allows neither, which Yoga would check only after it has executed the operation.
   */
  readonly type: string | null
  /**
   * True if the client names streams, alone or beside JSON. A subscription is then answered with a stream. Accepting
   * everything is not enough: such a client may be unable to read streams.
   */
  readonly allowsStream: boolean
  /** True if the client names streams before JSON, or without it. A run is then answered with its events. */
  readonly prefersStream: boolean
}

// Cached results by header, because clients send the same few headers.
const negotiated = new LRUCache<string, Negotiated>({ max: 100 })
const maxCachedLength = 200

const withoutAccept: Negotiated = { type: 'application/json', allowsStream: false, prefersStream: false }

/** Reads what a client accepts from its `Accept` header. */
export function negotiateAccept(request: IncomingMessage): Negotiated {
  const { accept } = request.headers
  if (!accept) return withoutAccept
  const known = negotiated.get(accept)
  if (known !== undefined) return known
  const bounded = boundPreferences(request.headers)
  const negotiator = new Negotiator(bounded)
  const streamType = negotiator.mediaType(stream)
  const type = (negotiator.mediaType(json) ?? streamType)?.split(';', 1)[0] ?? null
  const allowsStream = streamType !== undefined && /text\/event-stream/i.test(accept)
  const found = { type, allowsStream, prefersStream: allowsStream && isStreamFirst(bounded.headers.accept) }
  if (accept.length <= maxCachedLength) negotiated.set(accept, found)
  return found
}

// A negotiator prefers what has more parameters, so the charset is taken away: the order counts with and without it.
function isStreamFirst(accept = ''): boolean {
  const withoutCharset = accept.replace(/;\s*charset="?utf-8"?(?=\s*(?:[;,]|$))/gi, '')
  const negotiator = new Negotiator({ headers: { accept: withoutCharset } })
  return negotiator.mediaType(['application/json', eventStream]) === eventStream
}

// Maximum length of a header of preferences. Each entry takes time for each type: a header of 16 KiB took 30 ms.
const maxLength = 1_000

/**
 * Returns what a negotiator reads: the headers of preferences with the whole entries in their first 1,000 characters.
 */
export function boundPreferences(headers: Pick<IncomingHttpHeaders, 'accept' | 'accept-encoding'>) {
  const { accept, 'accept-encoding': encoding } = headers
  return {
    headers: {
      ...(accept !== undefined && { accept: cut(accept) }),
      ...(encoding !== undefined && { 'accept-encoding': cut(String(encoding)) }),
    },
  }
}

function cut(header: string): string {
  return header.length <= maxLength
    ? header
    : header.slice(0, Math.max(0, header.lastIndexOf(',', maxLength)))
}

// Adds each type with a charset, for clients that name the charset.
function withCharset(types: readonly string[]): string[] {
  return types.flatMap(type => [type, `${type};charset=utf-8`])
}

/** True if `Accept` names HTML, as that of a browser does when a person opens a page. */
export function isForPerson({ headers: { accept = '' } }: Pick<IncomingMessage, 'headers'>): boolean {
  return /\btext\/html\b/.test(accept)
}

/** True if the client prefers an answer that is compressed with gzip (RFC 9110, 12.5.3). */
export function takesGzip(request: IncomingMessage): boolean {
  return new Negotiator(boundPreferences(request.headers)).encoding(['gzip', 'identity']) === 'gzip'
}
