import type { IncomingMessage } from 'node:http'
import Negotiator from 'negotiator'

// In this order where a client takes several alike.
const json = withCharset(['application/json', 'application/graphql-response+json'])
const stream = withCharset(['text/event-stream'])

/**
 * The media type to answer a GraphQL request with: JSON, or a stream for those who take nothing else. Null where `Accept`
 * allows neither, which must be known before anything is executed: Yoga itself would ask afterwards.
 */
export function negotiateAccept(request: IncomingMessage): string | null {
  if (!request.headers.accept) return 'application/json'
  const negotiator = new Negotiator(request)
  const type = negotiator.mediaType(json) ?? negotiator.mediaType(stream)
  return type?.split(';', 1)[0] ?? null
}

// A client that names the charset would else not be understood.
function withCharset(types: readonly string[]): string[] {
  return types.flatMap(type => [type, `${type};charset=utf-8`])
}
