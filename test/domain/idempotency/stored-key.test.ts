import { expect, test } from 'vitest'
import { toCallerKey, toMessageKey } from '../../../src/domain/idempotency/stored-key.ts'

test('no key of a caller is stored as a message, whatever it says', () => {
  const message = toMessageKey(1, 'm')
  const stored = [message, `key ${message}`, 'key', 'key key'].map(toCallerKey)
  expect(new Set([message, ...stored]).size).toBe(stored.length + 1)
})

test('the keys and messages that are stored already keep their names', () => {
  const hash = '62c66a7a5dd70c3146618063c344e531e6d4b59e379808443ce962b3abd63c5a'
  expect(toCallerKey('6f1c1a54-2e0b')).toBe('6f1c1a54-2e0b')
  expect(toMessageKey(7, 'm')).toBe(`webhook 7 ${hash}`)
})
