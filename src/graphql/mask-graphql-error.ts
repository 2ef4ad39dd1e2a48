import { GraphQLError } from 'graphql'
import { type MaskRequest, maskError } from './mask-error.ts'

/** A GraphQL error that may leave: message and `extensions` masked, path and locations kept. */
export function maskGraphqlError(error: unknown, request: MaskRequest): GraphQLError {
  const { code, message, fields, retryAfterSeconds, facts } = maskError(error, request)
  const extensions = {
    ...facts,
    code,
    ...(fields.length === 0 ? {} : { errors: fields }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
  if (!(error instanceof GraphQLError)) return new GraphQLError(message, { extensions })
  const { nodes = null, source = null, positions = null, path = null } = error
  return new GraphQLError(message, { nodes, source, positions, path, extensions })
}
