import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeTime } from '../../src/schema/scalars.ts'

test('a time is written as `toISOString` writes it, from the first to the last that a date can hold', () => {
  const edges = [0, -1, 1, 86_399_999, 86_400_000, -86_400_000, 253_402_300_800_000, -62_167_219_200_001]
  for (const ms of [...edges, 8.64e15, -8.64e15]) {
    expect(writeTime(new Date(ms))).toBe(new Date(ms).toISOString())
  }
  fc.assert(fc.property(fc.date({ noInvalidDate: true }), date => writeTime(date) === date.toISOString()))
  expect(() => writeTime(new Date(Number.NaN))).toThrow(RangeError)
})
