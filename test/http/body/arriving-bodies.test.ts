import { expect, test } from 'vitest'
import { ArrivingBodies } from '../../../src/http/body/arriving-bodies.ts'

function enter(bodies: ArrivingBodies) {
  const given: string[] = []
  return { given, ...bodies.enter(() => given.push('way')) }
}

test('a body waits while all others make progress, and gets the memory of the first one that ends', async () => {
  const bodies = new ArrivingBodies(100)
  const [first, second] = [enter(bodies), enter(bodies)]
  expect(first.reserve(60)).toBeNull()
  const waiting = second.reserve(60)
  expect(waiting).toBeInstanceOf(Promise)
  first.release()
  await waiting
  expect([first.given, second.given]).toEqual([[], []])
})

test('a body that has come whole does not give way', async () => {
  const bodies = new ArrivingBodies(100)
  const [whole, stalled, last] = [enter(bodies), enter(bodies), enter(bodies)]
  whole.reserve(40)
  whole.complete()
  stalled.reserve(60)
  await last.reserve(60)
  expect([whole.given, stalled.given]).toEqual([[], ['way']])
})

test('a body that nothing gives way to is refused with a time to retry after', async () => {
  const bodies = new ArrivingBodies(100, 0)
  const [whole, last] = [enter(bodies), enter(bodies)]
  whole.reserve(100)
  whole.complete()
  await expect(last.reserve(1)).rejects.toMatchObject({ code: 'OVERLOADED', retryAfterSeconds: 1 })
})

test('the memory of a body that ended while it waited is not taken', async () => {
  const bodies = new ArrivingBodies(100)
  const [first, gone, last] = [enter(bodies), enter(bodies), enter(bodies)]
  first.reserve(100)
  void gone.reserve(100)
  gone.release()
  first.release()
  expect(last.reserve(100)).toBeNull()
})

test('of bodies that wait for each other, the last ones are refused and the others come whole', async () => {
  const bodies = new ArrivingBodies(100)
  const all = Array.from({ length: 5 }, () => enter(bodies))
  for (const body of all) expect(body.reserve(20)).toBeNull()
  const grow = async ({ reserve, complete, release }: (typeof all)[number]) => {
    try {
      await reserve(40)
      complete()
    } finally {
      release()
    }
  }
  const results = await Promise.allSettled(all.map(grow))
  expect(results.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected'])
})
