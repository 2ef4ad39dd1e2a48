import { RostrumError } from '../errors.ts'
import type { createOperationCheck } from './bounds/check-operation.ts'
import type { PreparedOperation } from './document-cache.ts'

/** An operation that is not executed, with its errors. */
export type Refused = Extract<
  ReturnType<ReturnType<typeof createOperationCheck>>,
  { readonly kind: 'refused' }
>

export function refuse({ node }: PreparedOperation, by: Refused['by'], error: unknown): Refused {
  return { kind: 'refused', by, errors: [error], operation: node }
}

export function onlyQueries(prepared: PreparedOperation): Refused {
  const error = new RostrumError('FORBIDDEN', 'A dry run changes nothing, so it refuses mutations.')
  return refuse(prepared, 'dry run', error)
}

export function unplannable(prepared: PreparedOperation): Refused {
  const error = new RostrumError(
    'BAD_USER_INPUT',
    'An operation that costs more than 10,000 must not select introspection or spread its fragments into more than ' +
      '5,000 fields. Split it.',
    { facts: { bound: 'cost' } },
  )
  return refuse(prepared, 'bounds', error)
}

export function noStream(prepared: PreparedOperation): Refused {
  const error = new RostrumError(
    'BAD_USER_INPUT',
    'A subscription is answered only as a stream. Send it to `/graphql` with `Accept: text/event-stream`.',
  )
  return refuse(prepared, 'no stream', error)
}
