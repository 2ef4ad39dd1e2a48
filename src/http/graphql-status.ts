import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Answer } from '../graphql/engine.ts'
import { challengeScope } from './error-headers.ts'

interface HttpHint {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Puts the HTTP status of an answer where Yoga looks for it (`extensions.http`, which never leaves). Faults of the document
 * are `spec` errors: 400 for `application/graphql-response+json` and 200 for `application/json`, as the GraphQL-over-HTTP
 * specification has it. Everything else has one status whatever the media type.
 */
export function withHttpStatus({ refusedBy, result }: Answer): ExecutionResult {
  switch (refusedBy) {
    case 'method':
      return hint(result, { status: 405, headers: { allow: 'POST' } })
    case 'bounds':
      return hint(result, { status: 400 })
    case 'fault':
      return hint(result, { status: 500 })
    case 'document':
      return { ...result, errors: result.errors?.map(asSpecError) ?? [] }
    case null:
      return isForbidden(result) ? hint(result, { status: 403, headers: challenges(result) }) : result
    default:
      return refusedBy satisfies never
  }
}

/** An error of the request that Yoga shall answer with this status. */
export function withErrorStatus(
  error: GraphQLError,
  http: HttpHint & { readonly spec?: boolean },
): GraphQLError {
  const { message, extensions, nodes = null, source = null, positions = null, path = null } = error
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { ...extensions, http } })
}

function asSpecError(error: GraphQLError): GraphQLError {
  return withErrorStatus(error, { status: 400, spec: true })
}

function hint(result: ExecutionResult, http: HttpHint): ExecutionResult {
  return { ...result, extensions: { http } }
}

// Every root field was refused for want of a scope, before its resolver: nothing was read, and nothing was done.
function isForbidden({ data, errors = [] }: ExecutionResult): boolean {
  const isRefusal = ({ path, extensions }: GraphQLError) =>
    path?.length === 1 && extensions.code === 'FORBIDDEN'
  return (
    errors.length > 0 && errors.every(isRefusal) && Object.values(data ?? {}).every(value => value === null)
  )
}

// As on the REST side, for the first scope that is lacking.
function challenges({ errors: [first] = [] }: ExecutionResult): Record<string, string> {
  if (first === undefined) return {}
  return { 'www-authenticate': challengeScope(String(first.extensions.scope), first.message) }
}
