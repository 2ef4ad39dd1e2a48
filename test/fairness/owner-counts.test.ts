import { expect, test } from 'vitest'
import { OwnerCounts } from '../../src/fairness/owner-counts.ts'

test('an owner that holds nothing any more has no entry, and the total is that of the others', () => {
  const held = new OwnerCounts()
  held.add('a', 3)
  held.add('b', 2)
  held.add('a', -1)
  expect([...held.entries()]).toEqual([
    ['a', 2],
    ['b', 2],
  ])
  held.add('a', -2)
  held.add('c', 0)
  expect([...held.entries()]).toEqual([['b', 2]])
  expect([held.of('a'), held.of('b'), held.total]).toEqual([0, 2, 2])
})
