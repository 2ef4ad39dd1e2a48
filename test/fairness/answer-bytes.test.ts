import { expect, test } from 'vitest'
import { AnswerBytes, maxLogEntries } from '../../src/fairness/answer-bytes.ts'

const refused = expect.objectContaining({ code: 'BAD_USER_INPUT' })

test('room for a case is made once, however many aliases ask for it', () => {
  const bytes = new AnswerBytes(10)
  bytes.raise(5)
  bytes.raise(5)
  expect(bytes.max).toBe(15)
  bytes.add(15)
  expect(() => bytes.add(1)).toThrow(refused)
})

test('a value that is left out takes no room from the next', () => {
  const bytes = new AnswerBytes(10)
  bytes.add(6)
  expect(() => bytes.add(5)).toThrow(refused)
  bytes.add(4)
})

test('the only log of an answer may have any number of entries, but several have a maximum', () => {
  const alone = new AnswerBytes(10)
  alone.addLogEntries(maxLogEntries + 1)
  expect(() => alone.addLogEntries(1)).toThrow(refused)
  const several = new AnswerBytes(10)
  several.addLogEntries(1)
  several.addLogEntries(maxLogEntries - 1)
  expect(() => several.addLogEntries(1)).toThrow(refused)
})
