import { type ExecutionResult, GraphQLError } from 'graphql'
import { catalogue, type RostrumError } from '../../errors.ts'
import type { Answer } from '../../graphql/engine.ts'
import { challengeScope } from '../errors/error-headers.ts'

interface HttpHint {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Only for `application/graphql-response+json`; for `application/json` it is 200. */
  readonly spec?: boolean
}

/**
 * Returns the HTTP status of an answer; null for 200. Errors of the document are 400 for
 * `application/graphql-response+json` and 200 for `application/json`, as the GraphQL-over-HTTP specification asks.
 * Other statuses do not depend on the media type.
 */
export function hintStatus({ refusedBy, result, failures }: Answer): HttpHint | null {
  switch (refusedBy) {
    case 'method':
      return { status: 405, headers: { allow: 'POST' } }
    case 'bounds':
      return { status: 400 }
    case 'dry run':
      return { status: 403, headers: challengeFirst(failures) }
    case 'no stream':
      return { status: 406 }
    case 'source':
      return hintSourceStatus(failures)
    case 'fault':
      return { status: 500 }
    case 'document':
      return { status: 400, spec: true }
    case null:
      return isForbidden(result) ? { status: 403, headers: challengeFirst(failures) } : null
    default:
      return refusedBy satisfies never
  }
}

// Returns the status for a subscription whose stream did not begin, as on the REST side.
function hintSourceStatus(failures: readonly RostrumError[]): HttpHint {
  const [first] = failures
  const { status } = catalogue[first?.code ?? 'INTERNAL']
  if (first?.code === 'FORBIDDEN') return { status, headers: challengeFirst(failures) }
  const retryAfter = first?.retryAfterSeconds
  return { status, ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }) }
}

/** Puts the HTTP status of an answer into `extensions.http`, where Yoga looks for it. It is not sent. */
export function withHttpStatus(answer: Answer): ExecutionResult {
  const { result } = answer
  const http = hintStatus(answer)
  if (http === null) return result
  if (!http.spec) return { ...result, extensions: { http } }
  return { ...result, errors: result.errors?.map(error => withErrorStatus(error, http)) ?? [] }
}

/** An error that Yoga answers with this status. */
export function withErrorStatus(error: GraphQLError, http: HttpHint): GraphQLError {
  const { message, extensions, nodes = null, source = null, positions = null, path = null } = error
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { ...extensions, http } })
}

// Every root field was refused for a missing scope before its resolver, so nothing was read or changed.
function isForbidden({ data, errors = [] }: ExecutionResult): boolean {
  if (errors.length === 0) return false
  const isRefusal = ({ path, extensions }: GraphQLError) =>
    path?.length === 1 && extensions.code === 'FORBIDDEN'
  return errors.every(isRefusal) && Object.values(data ?? {}).every(value => value === null)
}

// Challenges for the first missing scope, as on the REST side.
function challengeFirst([first]: readonly RostrumError[]): Record<string, string> {
  return first === undefined ? {} : { 'www-authenticate': challengeScope(first.facts.scope, first.message) }
}
