import { expect, test } from 'vitest'
import { AccountPlaces } from '../src/limits/account-places.ts'

const maxPlaces = 16

function takeMany(places: AccountPlaces, accountCode: string, count: number) {
  const begun: number[] = []
  const taken = Array.from({ length: count }, (_, index) => {
    const place = places.hold(accountCode)
    place.take(() => begun.push(index))
    return place
  })
  return { begun, taken }
}

test('an account has 16 places, and its next work begins when one is free', () => {
  const places = new AccountPlaces(maxPlaces)
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
  const places = new AccountPlaces(maxPlaces)
  const { begun, taken } = takeMany(places, 'a', 18)
  taken[16]?.leave()
  taken[0]?.leave()
  expect(begun.at(-1)).toBe(17)
  for (const place of taken) place.leave()
  expect(takeMany(places, 'a', maxPlaces).begun).toHaveLength(maxPlaces)
})

test('work that never asked for a place leaves none', () => {
  const places = new AccountPlaces(maxPlaces)
  places.hold('a').leave()
  expect(takeMany(places, 'a', maxPlaces + 1).begun).toHaveLength(maxPlaces)
})
