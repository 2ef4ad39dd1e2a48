import { expect, test } from 'vitest'
import { badName, checkAccountCode } from '../../src/domain/name.ts'

test('a name that is too long is not shown as one of the right length', () => {
  const shown = `\`${'y'.repeat(64)}…\``
  expect(badName('y'.repeat(65))).toContain(`it is ${shown}`)
  expect(() => checkAccountCode('y'.repeat(65))).toThrow(`${shown} is not an account code`)
})
