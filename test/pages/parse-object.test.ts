import { expect, test } from 'vitest'
import { parseObject } from '../../src/pages/cases/parse-object.ts'

test('a number that a read returns can be saved as it is', () => {
  const kept = [123456789012345680000, 2 ** 53, 1e300, -(2 ** 80), 0.1, Number.MAX_VALUE, -5]
  for (const number of kept) {
    const text = JSON.stringify({ number })
    expect(parseObject(text, 'Data'), text).toEqual({ number })
  }
})

test('a number that would be saved as another one is refused, in any spelling', () => {
  for (const number of ['9007199254740993', '123456789012345678901', '9007199254740993.0', '1e999', '-1e999'])
    expect(() => parseObject(`{"number": ${number}}`, 'Data'), number).toThrow(
      `${number} cannot be kept as a number`,
    )
})

test.each([
  ['', ': it is empty'],
  ['{"a": 1', ': it ends too early'],
  ['{"a": "x', ': it ends too early'],
  ['{"a": tru', ': it ends too early'],
  ['{"a": oops}', ' at Ln 1, Col 7'],
  // Browsers quote the text in their words.
  ['{"position 5": oops}', ' at Ln 1, Col 16'],
  ['{\n "weekend of": yes,\n "total": 3\n}', ' at Ln 2, Col 16'],
  ['{"a": 01}', ' at Ln 1, Col 8'],
  ['{"ä€😀": 1,}', ' at Ln 1, Col 12'],
  ['\ufeff{}', ' at Ln 1, Col 1'],
  ['{"a": -', ': it ends too early'],
  ['{\n "a": 1,\n}', ' at Ln 3, Col 1'],
  ['{"a": 1}\n{"b": 2}', ' at Ln 2, Col 1'],
  [`{${'"field": [1, 2],\n'.repeat(2_000)}"last": nul}`, ' at Ln 2001, Col 12'],
])('says where the text stops being JSON: %#', (text, place) => {
  expect(() => parseObject(text, 'Data')).toThrow(`Data is not valid JSON${place}. Mend it, then try again.`)
})
