import { copyAscii } from '../json/surrogates.ts'
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
  const name = methods.has(method) ? method : 'HTTP'
  const attributes = { 'http.request.method': name === 'HTTP' ? '_OTHER' : name, 'url.scheme': 'http' }
  const parent = tracing.continueFrom(traceparent)
  if (route === undefined) return parent.begin(name, 'server', attributes)
  const { template, names } = readRoute(route)
  return parent.begin(`${name} ${template}`, 'server', {
    ...attributes,
    'http.route': template,
    'url.path': names.length === 0 ? template : writePath(template, names, parameters),
  })
}

interface Route {
  /** The path as OpenTelemetry writes it, such as `/platform/cases/{id}`. */
  readonly template: string
  /** The names of its parameters. */
  readonly names: readonly string[]
}

const routes = new Map<string, Route>()

// Reads a route once, because each of its requests asks. The gateway has a fixed number of routes.
function readRoute(route: string): Route {
  const known = routes.get(route)
  if (known !== undefined) return known
  const names = [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const read = { template: route.replace(/:(\w+)/g, '{$1}'), names }
  routes.set(route, read)
  return read
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
    ...(name !== undefined && {
      'graphql.operation.name': copyAscii(name.value.slice(0, maxNameCharacters)),
    }),
  })
}

// An integer, or the GUID of a run.
const idForm = /^[0-9a-f-]{1,36}$/
// The form of names (contract, sections 1 and 7), as in `domain/name.ts`. Tokens have it too.
const nameForm = /^(?!rst_|rrun_)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

// Writes the path of a request with ids and names alone: no account, and no text of another form, such as an e-mail
// address. The path of a request without a route is left out for the same reason.
function writePath(template: string, names: readonly string[], parameters: TracedRequest['parameters']) {
  let path = template
  for (const name of names) {
    const value = String(parameters[name] ?? '')
    const form = name === 'id' ? idForm : nameForm
    if (name !== 'account_nickname' && form.test(value)) path = path.replace(`{${name}}`, value)
  }
  return path
}
