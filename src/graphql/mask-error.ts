import { GraphQLError } from 'graphql'
import type { BoundLog } from '../bound-log.ts'
import { RostrumError } from '../errors.ts'
import { shorten } from '../json/surrogates.ts'
import { hideValues } from './hide-values.ts'

// Messages of graphql-js repeat names from the document in full, even a megabyte of text.
const maxMessageLength = 1_000

export interface MaskRequest {
  readonly requestId: string
  readonly log: BoundLog
}

// The request under which a fault was logged, so that a fault which fails many fields is logged once.
const loggedUnder = new WeakMap<object, string>()

/**
 * Decides what the caller sees of an error. Expected failures and errors in the caller's document pass. Anything else
 * is logged in full under the request id and answered as `INTERNAL` without detail.
 */
export function maskError(error: unknown, request: MaskRequest): RostrumError {
  if (error instanceof RostrumError) {
    if (error.code === 'UNAVAILABLE') logOnce(error.cause ?? error, request, 'the store failed')
    if (error.code === 'INTERNAL') logUnreadable(error, request)
    return error
  }
  if (error instanceof GraphQLError) {
    if (isDocumentError(error))
      return new RostrumError('BAD_USER_INPUT', shorten(hideValues(error), maxMessageLength))
    if (!(error.originalError instanceof GraphQLError)) return maskError(error.originalError, request)
  }
  logOnce(error, request, 'unexpected error')
  const message = `Something went wrong; the log has the details under request \`${request.requestId}\`.`
  const masked = new RostrumError('INTERNAL', message)
  loggedUnder.set(masked, request.requestId)
  return masked
}

// The logs of requests that met a row which cannot be read.
const unreadableLogs = new WeakSet<BoundLog>()

// One line says enough: a list can have many such rows.
function logUnreadable(error: RostrumError, request: MaskRequest): void {
  if (unreadableLogs.has(request.log)) return
  unreadableLogs.add(request.log)
  logOnce(error, request, 'unexpected error')
}

function logOnce(
  err: unknown,
  { requestId, log }: MaskRequest,
  message: 'the store failed' | 'unexpected error',
) {
  if (typeof err === 'object' && err !== null) {
    if (loggedUnder.get(err) === requestId) return
    loggedUnder.set(err, requestId)
  }
  log[message === 'the store failed' ? 'warn' : 'error']({ err }, message)
}

// graphql-js wraps its own errors as well as those that resolvers throw. The document or its variables are wrong if
// there is no original error, or if the original is a GraphQLError with a position in the text or outside any field.
// Otherwise a resolver returned a value that does not fit its type.
function isDocumentError({ originalError, path }: GraphQLError): boolean {
  if (originalError === undefined) return true
  return originalError instanceof GraphQLError && (path === undefined || originalError.nodes !== undefined)
}
