import { expect, test } from 'vitest'
import { causeOf } from '../../src/scripts/kill-causes.ts'

test('a sandbox that boots slowly or keeps a low priority is not counted as one that broke its protocol', () => {
  expect(causeOf('did not boot in time')).toBe('boot')
  expect(causeOf('could not get its priority back')).toBe('priority')
  expect(causeOf('sent a message that is not in the protocol')).toBe('protocol')
  expect(causeOf(null)).toBe('crashed')
})

test('a sandbox that is not needed any more is not counted as replaced', () => {
  expect(causeOf('is not needed')).toBe(null)
})
