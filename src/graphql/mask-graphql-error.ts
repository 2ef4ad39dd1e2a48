import { GraphQLError } from 'graphql'
import { type FieldError, RostrumError } from '../errors.ts'
import { type MaskedError, type MaskRequest, maskError } from './mask-error.ts'

// One error can name every one of a thousand duplicates.
const mostNodes = 10

// Below a field that has made its change, the store's word that nothing was changed would be taken as said of that.
const unreadable =
  'This part of the answer could not be read; what was changed before it stays so. Read again in 1 s.'

/** A GraphQL error that may leave: message and `extensions` masked, path and the first locations kept. */
export function maskGraphqlError(error: unknown, request: MaskRequest): GraphQLError {
  const masked = maskError(error, request)
  if (!(error instanceof GraphQLError)) return toGraphqlError(masked)
  const { nodes = null, source = null, positions = null, path = null } = error
  const isBelowRoot = path !== null && path.length > 1
  const message = masked.code === 'UNAVAILABLE' && isBelowRoot ? unreadable : masked.message
  const extensions = toExtensions(masked)
  if (nodes === null) return new GraphQLError(message, { source, positions, path, extensions })
  return new GraphQLError(message, { nodes: nodes.slice(0, mostNodes), path, extensions })
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

/** The way back, for whoever answers in another shape than GraphQL's. */
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
