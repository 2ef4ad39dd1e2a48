import { type ExecutionResult, GraphQLError } from 'graphql'
import { catalogue, type RostrumError } from '../../errors.ts'
import type { Answer } from '../../graphql/engine.ts'
import { errorHeaders } from './error-headers.ts'

interface HttpHint {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** True if the status is only for `application/graphql-response+json`. For `application/json` it is then 200. */
  readonly spec?: boolean
}

/** The hint for an answer without data, because of an error of its document. */
export const documentRefused: HttpHint = { status: 400, spec: true }

/** Returns the status of a hint for an answer of this media type. */
export function statusFor({ status, spec = false }: HttpHint, type: string): number {
  return spec && type === 'application/json' ? 200 : status
}

/**
 * Returns the HTTP status of an answer; null for 200. As the GraphQL-over-HTTP specification asks, errors of the
 * document are 400 for `application/graphql-response+json` and 200 for `application/json`. All other statuses are the
 * same for both.
 */
export function hintStatus({ refusedBy, failures }: Answer): HttpHint | null {
  switch (refusedBy) {
    case 'method':
      return { status: 405, headers: { allow: 'POST' } }
    case 'bounds':
      return { status: 400 }
    case 'no stream':
      return { status: 406 }
    case 'dry run':
    case 'scope':
    case 'source':
    case 'gone':
      return hintFailure(failures)
    case 'fault':
      return { status: 500 }
    case 'document':
      return documentRefused
    case null:
      return null
    default:
      return refusedBy satisfies never
  }
}

// Returns the status and the headers of the first failure, as on the REST side.
function hintFailure([first]: readonly RostrumError[]): HttpHint {
  if (first === undefined) return { status: 500 }
  return { status: catalogue[first.code].status, headers: errorHeaders(first) }
}

/** Puts the HTTP status of an answer into `extensions.http`, where Yoga reads and removes it. */
export function withHttpStatus(answer: Answer): ExecutionResult {
  const { result } = answer
  const http = hintStatus(answer)
  if (http === null) return result
  if (!http.spec) return { ...result, extensions: { http } }
  return { ...result, errors: result.errors?.map(error => withErrorStatus(error, http)) ?? [] }
}

/** Returns an error that Yoga answers with this status. */
export function withErrorStatus(error: GraphQLError, http: HttpHint): GraphQLError {
  const { message, extensions, nodes = null, source = null, positions = null, path = null } = error
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { ...extensions, http } })
}
