import { afterAll, beforeEach, expect, test } from 'vitest'
import type { AddResult } from '../../../src/domain/memberships/membership-store.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { createDatabase } from '../databases/create-database.ts'
import { by } from '../databases/origin.ts'

let url: string
const statements: string[] = []
const stores: Store[] = []
beforeEach(async () => {
  url = await createDatabase()
})
afterAll(async () => {
  for (const store of stores) await store.close()
})

async function open(): Promise<Store> {
  const store = await openStore({ url, onStatement: statement => statements.push(statement) })
  stores.push(store)
  return store
}

const range = (length: number) => Array.from({ length }, (_, index) => index + 1)
const idOf = (result: AddResult) => (result.kind === 'added' ? result.membership.id : result.existingId)

test('additions of a turn are one statement for each account, and one event each, by its caller', async () => {
  const store = await open()
  await store.memberships.add(by('a'), { userId: 1, teamId: 1 })
  const nobody = {
    ...by('a'),
    userId: null,
    email: null,
    transactionId: 'b3f3c1de-0000-4000-8000-000000000002',
  }
  const odd = { ...by('a'), email: '{"odd\\",null}@example.com' }
  statements.length = 0
  const added = await Promise.all([
    store.memberships.add(nobody, { userId: 2, teamId: 1 }),
    store.memberships.add(by('b'), { userId: 2, teamId: 1 }),
    store.memberships.add(odd, { userId: 3, teamId: 1 }),
  ])
  expect(statements.filter(text => text.includes('insert into team_memberships'))).toHaveLength(2)
  expect(added.map(result => result.kind === 'added' && result.membership)).toMatchObject([
    { userId: 2, teamId: 1, leader: null, version: 1 },
    { userId: 2, teamId: 1, leader: null, version: 1 },
    { userId: 3, teamId: 1, leader: null, version: 1 },
  ])
  const ofA = await store.events.listAfter('a', 1, 10)
  expect(ofA).toMatchObject([
    { sequence: 2, kind: 'added', before: null, after: { userId: 2, teamId: 1 }, userId: null, email: null },
    { sequence: 3, kind: 'added', before: null, after: { userId: 3, teamId: 1 }, email: odd.email },
  ])
  expect(ofA[0]?.transactionId).toBe(nobody.transactionId)
  expect(ofA.map(event => event.membershipId)).toEqual([added[0], added[2]].map(one => one && idOf(one)))
  expect(await store.events.newest('b')).toBe(1)
})

test('if several add one pair in a turn, the first adds it and the others learn its id', async () => {
  const store = await open()
  const results = await Promise.all(
    range(5).map(() => store.memberships.add(by('a'), { userId: 7, teamId: 3 })),
  )
  expect(results.map(({ kind }) => kind)).toEqual(['added', ...range(4).map(() => 'duplicate')])
  expect(new Set(results.map(idOf)).size).toBe(1)
  expect(await store.events.newest('a')).toBe(1)
})

test.each([
  ['text that PostgreSQL cannot store', { ...by('a'), email: 'ann\0@example.com' }],
  ['a number that it cannot store', { ...by('a'), userId: 2 ** 63 }],
])('an addition with %s fails alone', async (_title, bad) => {
  const store = await open()
  const additions = [by('a'), bad, by('a')].map((origin, index) =>
    store.memberships.add(origin, { userId: index + 1, teamId: 1 }),
  )
  const settled = await Promise.allSettled(additions)
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const events = await store.events.listAfter('a', 0, 10)
  expect(events.map(({ after }) => after?.userId).toSorted()).toEqual([1, 3])
})

test('gateways that add the same pairs at once, in opposite orders, add none twice and leave no gap', async () => {
  const [one, other] = [await open(), await open()]
  const pairs = range(60).map(id => ({ userId: id, teamId: 1_000 - id }))
  const [ofOne, ofOther] = await Promise.all([
    Promise.all(pairs.map(pair => one.memberships.add(by('a'), pair))),
    Promise.all(pairs.toReversed().map(pair => other.memberships.add(by('a'), pair))),
  ])
  expect(ofOne.map(idOf)).toEqual(ofOther.toReversed().map(idOf))
  expect([...ofOne, ...ofOther].filter(({ kind }) => kind === 'added')).toHaveLength(60)
  const events = await one.events.listAfter('a', 0, 100)
  expect(events.map(({ sequence }) => sequence)).toEqual(range(60))
})
