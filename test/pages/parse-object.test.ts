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
