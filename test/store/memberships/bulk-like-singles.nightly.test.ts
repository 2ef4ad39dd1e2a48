import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChangeResult, MembershipPair } from '../../../src/domain/memberships/membership-store.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { add, addEach, type Change, move, range, remove, together } from './bulk-changes.ts'

const few = fc.integer({ min: 1, max: 3 })
const pair = fc.record({ userId: few, teamId: few })
const versions = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.array(few, { maxLength: 2 }))
const partOfPair = fc.oneof(pair, fc.record({ userId: few }), fc.record({ teamId: few }))

// The place among the rows there are at the beginning, from 1; the last places have none.
const id = fc.integer({ min: 1, max: 9 })
const namedOnce = { maxLength: 9, size: 'max', selector: ({ id }: { readonly id: number }) => id } as const
const adds = fc.array(
  pair.map(({ userId, teamId }) => add(userId, teamId)),
  { maxLength: 12, size: 'max' },
)
const moves = fc.uniqueArray(
  fc.tuple(id, partOfPair, versions).map(given => move(...given)),
  namedOnce,
)
const removals = fc.uniqueArray(
  fc.tuple(id, versions).map(given => remove(...given)),
  namedOnce,
)
const changes: fc.Arbitrary<readonly Change[]> = fc.oneof(adds, { weight: 2, arbitrary: moves }, removals)
const pairs = fc.uniqueArray(pair, {
  maxLength: 8,
  size: 'max',
  selector: ({ userId, teamId }) => `${userId}/${teamId}`,
})

// Single moves cannot make a ring: each of its pairs is taken.
const withoutRing = fc.tuple(pairs, changes).filter(([pairs, changes]) => !hasRing(pairs, changes))

function hasRing(pairs: readonly MembershipPair[], changes: readonly Change[]): boolean {
  const places = new Map(pairs.map(({ userId, teamId }, index) => [`${userId}/${teamId}`, index + 1]))
  const next = new Map<number, number | undefined>()
  for (const change of changes) {
    if (change.kind !== 'move') continue
    const target = { ...pairs[change.id - 1], ...change.change }
    next.set(change.id, places.get(`${target.userId}/${target.teamId}`))
  }
  return pairs.some((_, index) => {
    const start = index + 1
    let place = next.get(start)
    for (let count = 0; count < pairs.length && place !== undefined && place !== start; count += 1)
      place = next.get(place)
    return place === start && next.get(start) !== start
  })
}

eachStore(harness => {
  const numRuns = harness.engine === 'SQLite' ? 150 : 50

  test('a bulk has the same result as its changes one after the other', async () => {
    const store = await harness.open()
    let accounts = 0
    const claim = fc.asyncProperty(withoutRing, async ([pairs, changes]) => {
      accounts += 1
      const [one, other, third] = [`one-${accounts}`, `other-${accounts}`, `third-${accounts}`]
      const singly = await applyTo(store, one, { pairs, changes, way: doOneByOne })
      const partial = await applyTo(store, other, { pairs, changes, way: doAtOnce('partial') })
      expect(partial).toEqual(singly)
      const atomic = await applyTo(store, third, { pairs, changes, way: doAtOnce('atomic') })
      const untouched = await applyTo(store, `${third}-kept`, { pairs, changes: [], way: doOneByOne })
      const isDone = singly.results.every(({ kind }) => ['added', 'moved', 'removed'].includes(kind))
      expect(atomic.rows).toEqual(isDone ? singly.rows : untouched.rows)
      expect(atomic.events).toEqual(isDone ? singly.events : untouched.events)
      expect(atomic.users).toEqual(isDone ? singly.users : untouched.users)
    })
    await fc.assert(claim, { numRuns })
  })

  test('memberships exchange their pairs in any rings, whatever the order of the items', async () => {
    const store = await harness.open()
    let accounts = 0
    const rings = pairs.chain(pairs =>
      fc.record({
        pairs: fc.constant(pairs),
        target: fc.shuffledSubarray([...pairs.keys()], { minLength: pairs.length }),
        order: fc.shuffledSubarray([...pairs.keys()], { minLength: pairs.length }),
      }),
    )
    const claim = fc.asyncProperty(rings, async ({ pairs, target, order }) => {
      accounts += 1
      const accountCode = `rings-${accounts}`
      const ids = await addEach(store, pairs, accountCode)
      const moves = order.map(place => move(ids[place] ?? 0, pairs[target[place] ?? 0] ?? {}, [1]))
      const { applied } = await store.memberships.changeMany(by(accountCode), together(moves), 'atomic')
      expect(applied).toBe(true)
      const rows = await store.memberships.findByIds(accountCode, ids)
      const expected = ids.map((id, place) => ({
        ...{ id, leader: null, version: target[place] === place ? 1 : 2 },
        ...pairs[target[place] ?? 0],
      }))
      expect(rows.toSorted((one, other) => one.id - other.id)).toEqual(expected)
    })
    await fc.assert(claim, { numRuns })
  })
})

type Way = (store: Store, accountCode: string, changes: readonly Change[]) => Promise<readonly ChangeResult[]>

const doOneByOne: Way = async ({ memberships }, accountCode, changes) => {
  const results: ChangeResult[] = []
  for (const change of changes) {
    const origin = by(accountCode)
    if (change.kind === 'add') {
      const { userId, teamId } = change
      results.push(await memberships.add(origin, { userId, teamId }))
    } else if (change.kind === 'move')
      results.push(await memberships.move(origin, change.id, change.change, change.ifVersions))
    else results.push(await memberships.remove(origin, change.id, change.ifVersions))
  }
  return results
}

function doAtOnce(mode: 'atomic' | 'partial'): Way {
  return async ({ memberships }, accountCode, changes) =>
    (await memberships.changeMany(by(accountCode), together(changes), mode)).results
}

interface Case {
  readonly pairs: Parameters<typeof addEach>[1]
  readonly changes: readonly Change[]
  readonly way: Way
}

// Everything there is to see afterwards, with the ids of the account's memberships counted from 1.
async function applyTo(store: Store, accountCode: string, { pairs, changes, way }: Case) {
  const ids = await addEach(store, pairs, accountCode)
  const named = changes.map(change =>
    change.kind === 'add' ? change : { ...change, id: ids[change.id - 1] ?? Number.MAX_SAFE_INTEGER },
  )
  const results = await way(store, accountCode, named)
  const events = await store.events.listAfter(accountCode, 0, 1_000)
  const places = new Map(
    events.filter(({ kind }) => kind === 'added').map(({ membershipId }, index) => [membershipId, index + 1]),
  )
  const rows = await store.memberships.findByIds(accountCode, [...places.keys()])
  const counted = { results, rows: rows.toSorted((one, other) => one.id - other.id) }
  const listed = events.map(({ at: _, ...event }) => event)
  const users = (await store.users.findByIds(accountCode, range(3))).map(({ id }) => id).toSorted()
  const text = JSON.stringify({ ...counted, events: listed, users }, (name, value) =>
    name === 'id' || name === 'membershipId' || name === 'existingId' ? (places.get(value) ?? value) : value,
  )
  return JSON.parse(text) as {
    readonly results: readonly ChangeResult[]
    readonly rows: readonly unknown[]
    readonly events: readonly unknown[]
    readonly users: readonly number[]
  }
}
