import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'

export const eventStream = 'text/event-stream'

// In this order if a client accepts several alike.
const json = withCharset(['application/json', 'application/graphql-response+json'])
const stream = withCharset([eventStream])

/**
 * Returns the media type of the answer to a GraphQL request: JSON, or a stream for clients that accept nothing else.
 * Returns null if `Accept` allows neither. Yoga would only check that after the execution.
 */
export function negotiateAccept(request: IncomingMessage): string | null {
  const { accept } = request.headers
  if (!accept) return 'application/json'
  const known = negotiated.get(accept)
  if (known !== undefined) return known.type
  const type = negotiate(request)
  if (accept.length <= maxCachedLength) negotiated.set(accept, { type })
  return type
}

// Clients send the same few headers.
const negotiated = new LRUCache<string, { readonly type: string | null }>({ max: 100 })
const maxCachedLength = 200

function negotiate(request: IncomingMessage): string | null {
  const negotiator = new Negotiator(request)
  const type = negotiator.mediaType(json) ?? negotiator.mediaType(stream)
  return type?.split(';', 1)[0] ?? null
}

// For clients that name the charset.
function withCharset(types: readonly string[]): string[] {
  return types.flatMap(type => [type, `${type};charset=utf-8`])
}
