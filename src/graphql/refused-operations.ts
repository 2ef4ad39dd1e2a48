import { RostrumError } from '../errors.ts'
import type { createOperationCheck } from './bounds/check-operation.ts'
import type { PreparedOperation } from './document-cache.ts'

/** An operation that is not executed, with its errors. */
export type Refused = Extract<
  ReturnType<ReturnType<typeof createOperationCheck>>,
  { readonly kind: 'refused' }
>

export function onlyQueries({ node }: PreparedOperation): Refused {
  const error = new RostrumError('FORBIDDEN', 'A dry run changes nothing, so it refuses mutations.')
  return { kind: 'refused', by: 'dry run', errors: [error], operation: node }
}

export function unplannable({ node }: PreparedOperation): Refused {
  const error = new RostrumError(
    'BAD_USER_INPUT',
    'An operation that costs more than 10,000 must not select introspection or spread its fragments into more than ' +
      '5,000 fields. Split it.',
    { facts: { bound: 'cost' } },
  )
  return { kind: 'refused', by: 'bounds', errors: [error], operation: node }
}

export function noStream({ node }: PreparedOperation): Refused {
  const error = new RostrumError(
    'BAD_USER_INPUT',
    'A subscription is answered only as a stream. Send it to `/graphql` with `Accept: text/event-stream`.',
  )
  return { kind: 'refused', by: 'no stream', errors: [error], operation: node }
}
