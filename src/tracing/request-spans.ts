import type { Span, SpanParent, Tracing } from './span.ts'

export interface TracedRequest {
  readonly method: string
  /** The path of its route, as `/platform/cases/:id`; undefined if no route matches. */
  readonly route: string | undefined
  readonly parameters: Readonly<Record<string, unknown>>
  readonly traceparent: string | undefined
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'])

/** Begins the span of a request to the gateway. */
export function beginRequestSpan(tracing: Tracing, request: TracedRequest): Span {
  const { method, route, parameters, traceparent } = request
  const isKnown = methods.has(method)
  const name = isKnown ? method : 'HTTP'
  const template = route?.replace(/:(\w+)/g, '{$1}')
  return tracing
    .continueFrom(traceparent)
    .begin(template === undefined ? name : `${name} ${template}`, 'server', {
      'http.request.method': isKnown ? method : '_OTHER',
      'url.scheme': 'http',
      ...(route !== undefined &&
        template !== undefined && { 'http.route': template, 'url.path': writePath(route, parameters) }),
    })
}

/** Ends the span of a request. The status is null if the client was gone before the answer. */
export function endRequestSpan(span: Span, status: number | null): void {
  if (status !== null) span.set({ 'http.response.status_code': status })
  if (status !== null && status >= 500) span.fail()
  span.end()
}

interface TracedOperation {
  readonly operation: string
  readonly name?: { readonly value: string } | undefined
}

// A longer name is cut, because the span must not hold the text of a document.
const maxNameCharacters = 100

/** Begins the span of a GraphQL operation. */
export function beginOperationSpan(parent: SpanParent, { operation, name }: TracedOperation): Span {
  return parent.begin(operation, 'internal', {
    'graphql.operation.type': operation,
    ...(name !== undefined && { 'graphql.operation.name': name.value.slice(0, maxNameCharacters) }),
  })
}

// Writes the path of a request with ids and names alone: no account, and no text of another form, such as an e-mail
// address. The path of a request without a route is left out for the same reason.
function writePath(route: string, parameters: Readonly<Record<string, unknown>>): string {
  return route.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(parameters[name] ?? '')
    return name !== 'account_nickname' && /^[\w-]{1,64}$/.test(value) ? value : `{${name}}`
  })
}
