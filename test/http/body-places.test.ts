import { expect, test } from 'vitest'
import { BodyPlaces } from '../../src/http/body/body-places.ts'

const maxBodiesOfAccount = 16

function takeMany(places: BodyPlaces, accountCode: string, count: number) {
  const begun: number[] = []
  const taken = Array.from({ length: count }, (_, index) => {
    const place = places.hold(accountCode)
    place.take(() => begun.push(index))
    return place
  })
  return { begun, taken }
}

test('an account has 16 places, and its next body begins when one is free', () => {
  const places = new BodyPlaces()
  const { begun, taken } = takeMany(places, 'a', 18)
  expect(begun).toHaveLength(maxBodiesOfAccount)
  expect(takeMany(places, 'b', 1).begun).toEqual([0])
  taken[3]?.leave()
  taken[3]?.leave()
  expect(begun).toHaveLength(maxBodiesOfAccount + 1)
  taken[0]?.leave()
  expect(begun.slice(maxBodiesOfAccount)).toEqual([16, 17])
})

test('a body that ends while it waits takes no place', () => {
  const places = new BodyPlaces()
  const { begun, taken } = takeMany(places, 'a', 18)
  taken[16]?.leave()
  taken[0]?.leave()
  expect(begun.at(-1)).toBe(17)
  for (const place of taken) place.leave()
  expect(takeMany(places, 'a', maxBodiesOfAccount).begun).toHaveLength(maxBodiesOfAccount)
})

test('a body that never asked for a place leaves none', () => {
  const places = new BodyPlaces()
  places.hold('a').leave()
  expect(takeMany(places, 'a', maxBodiesOfAccount + 1).begun).toHaveLength(maxBodiesOfAccount)
})
