import { expect, test } from 'vitest'
import { RostrumError } from '../src/errors.ts'

test('a conflict has a reason, and only a conflict', () => {
  const failures = [
    new RostrumError('CONFLICT', 'a', { reason: 'LIMIT' }),
    new RostrumError('PRECONDITION_FAILED', 'b', { reason: 'VERSION' }),
    new RostrumError('NOT_FOUND', 'c'),
    // @ts-expect-error -- without a reason, the types refuse it
    new RostrumError('CONFLICT', 'd'),
    // @ts-expect-error -- the same with other details
    new RostrumError('PRECONDITION_FAILED', 'e', { facts: { version: 2 } }),
    // @ts-expect-error -- another code has none
    new RostrumError('NOT_FOUND', 'f', { reason: 'LIMIT' }),
  ]
  expect(failures.slice(0, 3).map(({ reason }) => reason)).toEqual(['LIMIT', 'VERSION', null])
})
