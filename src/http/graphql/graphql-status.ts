import { type ExecutionResult, GraphQLError } from 'graphql'
import { catalogue, type ErrorCode } from '../../errors.ts'
import type { Answer } from '../../graphql/engine.ts'
import { challengeScope } from '../errors/error-headers.ts'

interface HttpHint {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Only for `application/graphql-response+json`: as `application/json` it is 200. */
  readonly spec?: boolean
}

/**
 * The HTTP status of an answer; null for 200. Faults of the document are 400 for `application/graphql-response+json` and 200 for
 * `application/json`, as the GraphQL-over-HTTP specification has it. Everything else has one status whatever the media type.
 */
export function hintStatus({ refusedBy, result }: Answer): HttpHint | null {
  switch (refusedBy) {
    case 'method':
      return { status: 405, headers: { allow: 'POST' } }
    case 'bounds':
      return { status: 400 }
    case 'no stream':
      return { status: 406 }
    case 'source':
      return hintSourceStatus(result)
    case 'fault':
      return { status: 500 }
    case 'document':
      return { status: 400, spec: true }
    case null:
      return isForbidden(result) ? { status: 403, headers: challenges(result) } : null
    default:
      return refusedBy satisfies never
  }
}

// Of a subscription whose stream did not begin; as on the REST side.
function hintSourceStatus({ errors = [] }: ExecutionResult): HttpHint {
  const [{ code = 'INTERNAL', retryAfterSeconds } = {}] = errors.map(({ extensions }) => extensions)
  const status = catalogue[code as ErrorCode].status
  if (code === 'FORBIDDEN') return { status, headers: challenges({ errors }) }
  return {
    status,
    ...(retryAfterSeconds != null && { headers: { 'retry-after': String(retryAfterSeconds) } }),
  }
}

/** Puts the HTTP status of an answer where Yoga looks for it: in `extensions.http`, which never leaves. */
export function withHttpStatus(answer: Answer): ExecutionResult {
  const { result } = answer
  const http = hintStatus(answer)
  if (http === null) return result
  if (!http.spec) return { ...result, extensions: { http } }
  return { ...result, errors: result.errors?.map(error => withErrorStatus(error, http)) ?? [] }
}

/** An error of the request that Yoga shall answer with this status. */
export function withErrorStatus(error: GraphQLError, http: HttpHint): GraphQLError {
  const { message, extensions, nodes = null, source = null, positions = null, path = null } = error
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { ...extensions, http } })
}

// Every root field was refused for want of a scope, before its resolver: nothing was read, and nothing was done.
function isForbidden({ data, errors = [] }: ExecutionResult): boolean {
  if (errors.length === 0) return false
  const isRefusal = ({ path, extensions }: GraphQLError) =>
    path?.length === 1 && extensions.code === 'FORBIDDEN'
  return errors.every(isRefusal) && Object.values(data ?? {}).every(value => value === null)
}

// As on the REST side, for the first scope that is lacking.
function challenges({ errors: [first] = [] }: ExecutionResult): Record<string, string> {
  if (first === undefined) return {}
  return { 'www-authenticate': challengeScope(String(first.extensions.scope), first.message) }
}
