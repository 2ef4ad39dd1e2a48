import { expect, test } from 'vitest'
import { compareDocuments } from '../../src/pages/results/difference.ts'

const pointersOf = (before: string, after: string) =>
  compareDocuments(JSON.parse(before), JSON.parse(after)).changes.map(({ pointer }) => pointer)

test('a member that is absent differs from null, and a list from an object', () => {
  expect(pointersOf('{"a":null,"b":[]}', '{"b":{}}')).toEqual(['/a', '/b'])
})

test('-0 does not differ from 0, which an answer has in its place', () => {
  expect(pointersOf('{"a":-0,"b":[-0]}', '{"a":0,"b":[0]}')).toEqual([])
  expect(pointersOf('-0', '0')).toEqual([])
})
