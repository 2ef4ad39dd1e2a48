import { expect, test } from 'vitest'
import { Places } from '../../src/fairness/places.ts'

const maxPlaces = 16

function takeMany(places: Places, accountCode: string, count: number) {
  const begun: number[] = []
  const taken = Array.from({ length: count }, (_, index) => {
    const place = places.placeFor(accountCode)
    place.take(() => begun.push(index))
    return place
  })
  return { begun, taken }
}

test('an account has 16 places, and its next work begins when one is free', () => {
  const places = new Places({ each: maxPlaces })
  const { begun, taken } = takeMany(places, 'a', 18)
  expect(begun).toHaveLength(maxPlaces)
  expect(takeMany(places, 'b', 1).begun).toEqual([0])
  taken[3]?.leave()
  taken[3]?.leave()
  expect(begun).toHaveLength(maxPlaces + 1)
  taken[0]?.leave()
  expect(begun.slice(maxPlaces)).toEqual([16, 17])
})

test('work that ends while it waits takes no place', () => {
  const places = new Places({ each: maxPlaces })
  const { begun, taken } = takeMany(places, 'a', 18)
  taken[16]?.leave()
  taken[0]?.leave()
  expect(begun.at(-1)).toBe(17)
  for (const place of taken) place.leave()
  expect(takeMany(places, 'a', maxPlaces).begun).toHaveLength(maxPlaces)
})

test('work that never asked for a place leaves none', () => {
  const places = new Places({ each: maxPlaces })
  places.placeFor('a').leave()
  expect(takeMany(places, 'a', maxPlaces + 1).begun).toHaveLength(maxPlaces)
})

test('owners get the places of all in turn, up to their own maximum', () => {
  const places = new Places({ each: 2, total: 3 })
  const a = takeMany(places, 'a', 6)
  const b = takeMany(places, 'b', 2)
  expect([a.begun, b.begun]).toEqual([[0, 1], [0]])
  a.taken[0]?.leave()
  expect([a.begun, b.begun]).toEqual([[0, 1, 2], [0]])
  a.taken[1]?.leave()
  expect([a.begun, b.begun]).toEqual([
    [0, 1, 2],
    [0, 1],
  ])
  b.taken[0]?.leave()
  expect(a.begun).toEqual([0, 1, 2, 3])
})

test('a wait that ends takes no place, and no place is lost if it ends while it gets one', async () => {
  const places = new Places({ each: 1 })
  const first = await places.take('a')
  const gone = new AbortController()
  const late = places.take('a', () => ({ after: { ms: 0, error: () => new Error('late') } }))
  const waiting = places.take('a', () => ({ signal: gone.signal }))
  await expect(late).rejects.toThrow('late')
  gone.abort(new Error('gone'))
  first.leave()
  await expect(waiting).rejects.toThrow('gone')
  await places.take('a', () => {
    throw new Error('a place is free')
  })
})
