import type { Span, Tracing } from './span.ts'

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

// Writes the path of a request, with ids and names alone: no account, and nothing that no id or name looks like, such as
// an e-mail address. A path without a route is left out for the same reason.
function writePath(route: string, parameters: Readonly<Record<string, unknown>>): string {
  return route.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(parameters[name] ?? '')
    return name !== 'account_nickname' && /^[\w-]{1,64}$/.test(value) ? value : `{${name}}`
  })
}
