import { expect, test } from 'vitest'
import { FairQueue } from '../../src/fairness/fair-queue.ts'

function queueOf(...items: [owner: string, item: number][]) {
  const queue = new FairQueue<number>()
  for (const [owner, item] of items) queue.add(owner, item)
  return queue
}

test('an item that is removed counts no longer, and one that is not there changes nothing', () => {
  const queue = queueOf(['a', 1], ['a', 2], ['b', 3])
  queue.remove('a', 1)
  queue.remove('a', 1)
  queue.remove('c', 1)
  expect([queue.length, queue.lengths()]).toEqual([
    2,
    [
      ['a', 1],
      ['b', 1],
    ],
  ])
  expect(queue.removeLast('b')).toBe(3)
  expect([queue.length, queue.lengthOf('b'), [...queue.owners()]]).toEqual([1, 0, ['a']])
})

test('an owner that was served goes to the end', () => {
  const queue = queueOf(['a', 1], ['b', 2], ['a', 3])
  expect([queue.serve('a'), [...queue.owners()], queue.length]).toEqual([1, ['b', 'a'], 2])
  expect([queue.serve('b'), queue.serve('b'), queue.length]).toEqual([2, undefined, 1])
})

test('of the owners with the most items, the longest is the one that is served first', () => {
  expect(queueOf(['a', 1], ['b', 2], ['c', 3], ['b', 4], ['c', 5]).longest()).toEqual(['b', 2])
  expect(queueOf().longest()).toBeUndefined()
})

test('a queue that was emptied has no length', () => {
  const queue = queueOf(['a', 1], ['b', 2], ['a', 3])
  expect([queue.clear(), queue.length, queue.first('a')]).toEqual([[1, 3, 2], 0, undefined])
})
