import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'

export const eventStream = 'text/event-stream'

// Media types, in the order of preference if a client accepts several alike.
const json = withCharset(['application/json', 'application/graphql-response+json'])
const stream = withCharset([eventStream])

interface Negotiated {
  readonly type: string | null
  /** True if the client names streams. A client that accepts everything may be unable to read them. */
  readonly allowsStream: boolean
}

/**
 * Returns the media type of the answer to a GraphQL request: JSON, or a stream for clients that accept nothing else.
 * Returns null if `Accept` allows neither. Yoga would only check that after the execution.
 */
export function negotiateAccept(request: IncomingMessage): string | null {
  return negotiate(request).type
}

/** True if `Accept` names streams, maybe beside JSON: a subscription is answered with one then. */
export function allowsStream(request: IncomingMessage): boolean {
  return negotiate(request).allowsStream
}

// Clients send the same few headers.
const negotiated = new LRUCache<string, Negotiated>({ max: 100 })
const maxCachedLength = 200

const withoutAccept: Negotiated = { type: 'application/json', allowsStream: false }

function negotiate(request: IncomingMessage): Negotiated {
  const { accept } = request.headers
  if (!accept) return withoutAccept
  const known = negotiated.get(accept)
  if (known !== undefined) return known
  const negotiator = new Negotiator(request)
  const streamType = negotiator.mediaType(stream)
  const type = (negotiator.mediaType(json) ?? streamType)?.split(';', 1)[0] ?? null
  const found = { type, allowsStream: streamType !== undefined && /text\/event-stream/i.test(accept) }
  if (accept.length <= maxCachedLength) negotiated.set(accept, found)
  return found
}

// Adds each type with a charset, for clients that name it.
function withCharset(types: readonly string[]): string[] {
  return types.flatMap(type => [type, `${type};charset=utf-8`])
}
