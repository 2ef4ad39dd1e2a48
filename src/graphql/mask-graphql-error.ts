import { GraphQLError } from 'graphql'
import { type FieldError, RostrumError } from '../errors.ts'
import { type MaskedError, type MaskRequest, maskError } from './mask-error.ts'

// One error can name a thousand duplicates.
const maxNodes = 10

// Below a mutation that has succeeded, the store's "nothing was changed" would seem to be about the mutation.
const unreadable =
  'This part of the answer could not be read. Changes made before it are kept. Read again in 1 s.'

/** A GraphQL error that may leave the process: masked message and `extensions`, with its path and first locations. */
export function maskGraphqlError(error: unknown, request: MaskRequest): GraphQLError {
  const masked = maskError(error, request)
  if (!(error instanceof GraphQLError)) return toGraphqlError(masked)
  const { nodes = null, source = null, positions = null, path = null } = error
  const isBelowRoot = path !== null && path.length > 1
  const message = masked.code === 'UNAVAILABLE' && isBelowRoot ? unreadable : masked.message
  const extensions = toExtensions(masked)
  if (nodes === null) return new GraphQLError(message, { source, positions, path, extensions })
  return new GraphQLError(message, { nodes: nodes.slice(0, maxNodes), path, extensions })
}

/** The GraphQL form of a masked error: its code, bad fields and facts are the `extensions`. */
export function toGraphqlError(masked: MaskedError): GraphQLError {
  return new GraphQLError(masked.message, { extensions: toExtensions(masked) })
}

function toExtensions({ code, fields, retryAfterSeconds, facts }: MaskedError) {
  return {
    ...facts,
    code,
    ...(fields.length === 0 ? {} : { errors: fields }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

/** Turns a masked GraphQL error back into a `RostrumError`, for answers in another format. */
export function fromGraphqlError({ message, extensions }: GraphQLError): RostrumError {
  const { code, errors, retryAfterSeconds, ...facts } = extensions as Partial<MaskedError> & {
    errors?: FieldError[]
  }
  return new RostrumError(code ?? 'INTERNAL', message, {
    facts: facts as MaskedError['facts'],
    ...(errors === undefined ? {} : { fields: errors }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}
