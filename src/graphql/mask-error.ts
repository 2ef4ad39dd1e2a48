import { GraphQLError } from 'graphql'
import type { Logger } from 'pino'
import { type ErrorCode, type FieldError, RostrumError } from '../errors.ts'

/** All that a caller learns of a failure, over GraphQL and REST alike. */
export interface MaskedError {
  readonly code: ErrorCode
  readonly message: string
  readonly fields: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined
  readonly facts: Readonly<Record<string, string | number>>
}

const longestMessage = 1_000

export interface MaskRequest {
  readonly requestId: string
  readonly log: Logger
}

/**
 * The one place that decides what an error may say. Expected failures and faults of the caller's document pass; anything
 * else is logged whole under the request id and answered blank as `INTERNAL`.
 */
export function maskError(error: unknown, request: MaskRequest): MaskedError {
  if (error instanceof RostrumError) {
    if (error.code === 'UNAVAILABLE') request.log.warn({ err: error.cause ?? error }, 'the store failed')
    return error
  }
  if (error instanceof GraphQLError) {
    if (isFaultOfDocument(error)) return masked('BAD_USER_INPUT', cut(error.message))
    if (!(error.originalError instanceof GraphQLError)) return maskError(error.originalError, request)
  }
  request.log.error({ err: error }, 'unexpected error')
  return masked(
    'INTERNAL',
    `Something went wrong here; the log has it under request \`${request.requestId}\`.`,
  )
}

// graphql-js wraps what it finds wrong as well as what resolvers throw. It is the document (or its variables) when there is
// nothing inside, or an error of its own that carries a place in the text or came before any field. An error of its own
// without a place, in a field, is a value of ours that does not fit its type.
function isFaultOfDocument({ originalError, path }: GraphQLError): boolean {
  if (originalError === undefined) return true
  return originalError instanceof GraphQLError && (path === undefined || originalError.nodes !== undefined)
}

// graphql-js repeats values of the caller whole, a megabyte of text if need be.
function cut(message: string): string {
  return message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message
}

function masked(code: ErrorCode, message: string): MaskedError {
  return { code, message, fields: [], retryAfterSeconds: undefined, facts: {} }
}
