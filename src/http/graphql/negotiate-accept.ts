import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'

export const eventStream = 'text/event-stream'

// In this order where a client takes several alike.
const json = withCharset(['application/json', 'application/graphql-response+json'])
const stream = withCharset([eventStream])

/**
 * The media type to answer a GraphQL request with: JSON, or a stream for those who take nothing else. Null where `Accept`
 * allows neither, which must be known before anything is executed: Yoga itself would ask afterwards.
 */
export function negotiateAccept(request: IncomingMessage): string | null {
  const { accept } = request.headers
  if (!accept) return 'application/json'
  const known = negotiated.get(accept)
  if (known !== undefined) return known.type
  const type = negotiate(request)
  if (accept.length <= longestKept) negotiated.set(accept, { type })
  return type
}

// Clients send the same few over and over.
const negotiated = new LRUCache<string, { readonly type: string | null }>({ max: 100 })
const longestKept = 200

function negotiate(request: IncomingMessage): string | null {
  const negotiator = new Negotiator(request)
  const type = negotiator.mediaType(json) ?? negotiator.mediaType(stream)
  return type?.split(';', 1)[0] ?? null
}

// A client that names the charset would else not be understood.
function withCharset(types: readonly string[]): string[] {
  return types.flatMap(type => [type, `${type};charset=utf-8`])
}
