import fc from 'fast-check'
import { parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/schema/index.ts'
import { writeTime } from '../../src/schema/scalars.ts'

test('a time is written as `toISOString` writes it, from the first to the last that a date can hold', () => {
  const edges = [0, -1, 1, 86_399_999, 86_400_000, -86_400_000, 253_402_300_800_000, -62_167_219_200_001]
  for (const ms of [...edges, 8.64e15, -8.64e15]) {
    expect(writeTime(new Date(ms))).toBe(new Date(ms).toISOString())
  }
  fc.assert(fc.property(fc.date({ noInvalidDate: true }), date => writeTime(date) === date.toISOString()))
  expect(() => writeTime(new Date(Number.NaN))).toThrow(RangeError)
})

test.each([
  [
    '{ runs(filter: { startedAfter: "2026-11-26T00:00:00Z", startedBefore: "now" }) { nodes { id } } }',
    '"now"',
  ],
  ['{ runs(filter: { startedAfter: 5, startedBefore: "2026-11-26T00:00:00Z" }) { nodes { id } } }', '5'],
  ['mutation { saveCase(input: { id: 1, data: { a: [1, WORD] } }) { saved } }', 'WORD'],
])('the error of a wrong literal says where it is: %s', (document, wrong) => {
  const errors = validate(schema, parse(document))
  expect(errors.map(({ locations }) => locations)).toEqual([
    [{ line: 1, column: document.indexOf(wrong) + 1 }],
  ])
})
