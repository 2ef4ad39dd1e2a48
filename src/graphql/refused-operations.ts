import { RostrumError } from '../errors.ts'
import type { Refusal, RefusedOperation } from './bounds/check-operation.ts'
import type { PreparedOperation } from './document-cache.ts'

export function refuse({ node }: PreparedOperation, by: Refusal, error: unknown): RefusedOperation {
  return { kind: 'refused', by, errors: [error], operation: node }
}

export function onlyQueries(prepared: PreparedOperation): RefusedOperation {
  const error = new RostrumError('FORBIDDEN', 'A dry run changes nothing, so it refuses mutations.')
  return refuse(prepared, 'dry run', error)
}

export function unplannable(prepared: PreparedOperation): RefusedOperation {
  const error = new RostrumError(
    'BAD_USER_INPUT',
    'An operation that costs more than 10,000 must not select introspection or spread its fragments into more than ' +
      '5,000 fields. Split it.',
    { facts: { bound: 'cost' } },
  )
  return refuse(prepared, 'bounds', error)
}

export function noStream(prepared: PreparedOperation): RefusedOperation {
  const error = new RostrumError(
    'BAD_USER_INPUT',
    'A subscription is answered only as a stream. Send it to `/graphql` with `Accept: text/event-stream`.',
  )
  return refuse(prepared, 'no stream', error)
}
