import { GraphQLError } from 'graphql'
import type { Logger } from 'pino'
import { type ErrorCode, type FieldError, RostrumError } from '../errors.ts'

/** Everything that a caller learns of a failure, over GraphQL and REST. */
export interface MaskedError {
  readonly code: ErrorCode
  readonly message: string
  readonly fields: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined
  readonly facts: Readonly<Record<string, string | number>>
}

const maxMessageLength = 1_000

export interface MaskRequest {
  readonly requestId: string
  readonly log: Logger
}

/**
 * Decides what an error may tell the caller. Expected failures and errors in the caller's document pass. Anything else
 * is logged in full under the request id and answered as `INTERNAL` without detail.
 */
export function maskError(error: unknown, request: MaskRequest): MaskedError {
  if (error instanceof RostrumError) {
    if (error.code === 'UNAVAILABLE') request.log.warn({ err: error.cause ?? error }, 'the store failed')
    return error
  }
  if (error instanceof GraphQLError) {
    if (isDocumentError(error)) return masked('BAD_USER_INPUT', cut(error.message))
    if (!(error.originalError instanceof GraphQLError)) return maskError(error.originalError, request)
  }
  request.log.error({ err: error }, 'unexpected error')
  return masked(
    'INTERNAL',
    `Something went wrong; the log has the details under request \`${request.requestId}\`.`,
  )
}

// graphql-js wraps its own errors as well as those that resolvers throw. The document or its variables are wrong if
// there is no original error, or if the original is a GraphQLError with a position in the text or outside any field.
// Otherwise a resolver returned a value that does not fit its type.
function isDocumentError({ originalError, path }: GraphQLError): boolean {
  if (originalError === undefined) return true
  return originalError instanceof GraphQLError && (path === undefined || originalError.nodes !== undefined)
}

// graphql-js repeats the caller's values in full, even a megabyte of text.
function cut(message: string): string {
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message
}

function masked(code: ErrorCode, message: string): MaskedError {
  return { code, message, fields: [], retryAfterSeconds: undefined, facts: {} }
}
