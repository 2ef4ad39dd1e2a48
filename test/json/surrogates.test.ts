import { expect, test } from 'vitest'
import { cutText, escapeSurrogates, shorten } from '../../src/json/surrogates.ts'

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['ab😀', 4, 'ab😀'],
  ['ab😀', 3, 'ab'],
  ['😀😀', 3, '😀'],
  ['a\ud83d', 2, 'a\ud83d'],
  ['', 3, ''],
])('cuts %j to %i units: %j', (text, max, expected) => {
  expect(cutText(text, max)).toBe(expected)
})

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc…'],
  ['ab😀', 3, 'ab…'],
])('shortens %j to %i units: %j', (text, max, expected) => {
  expect(shorten(text, max)).toBe(expected)
})

test('escapes the halves of characters alone', () => {
  expect(escapeSurrogates('"😀\ud83d"')).toBe('"😀\\ud83d"')
})
