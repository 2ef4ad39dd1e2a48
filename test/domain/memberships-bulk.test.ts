import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMemberships, type Memberships } from '../../src/domain/memberships/memberships.ts'
import type { BulkAnswer } from '../../src/domain/memberships/memberships-bulk.ts'
import { decideMoves, prepareMoves } from '../../src/domain/memberships/memberships-bulk-decision.ts'
import type { Store } from '../../src/domain/store.ts'
import { RostrumError } from '../../src/errors.ts'
import { openStore } from '../../src/store/open-store.ts'
import { by } from '../store/databases/origin.ts'
import { range } from '../store/memberships/bulk-changes.ts'

let store: Store
let memberships: Memberships
beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' })
  memberships = createMemberships(store)
})
afterEach(() => store.close())

const codesOf = ({ items }: BulkAnswer) => items.map(({ error }) => error?.code ?? null)

const wrong = new RostrumError('BAD_USER_INPUT', 'Not an id.')

test('an item that could not be read keeps its place and its error', async () => {
  const add = (userId: number, teamId: number) => ({ userId, teamId })
  const added = await memberships.addMany(by('a'), [wrong, add(7, 3), wrong, add(7, 4)], 'partial')
  const bad = 'BAD_USER_INPUT'
  expect(codesOf(added)).toEqual([bad, null, bad, null])
  expect(added.items.map(({ membership }) => membership?.teamId ?? null)).toEqual([null, 3, null, 4])
  expect(added.items[0]?.error).toBe(wrong)
  const moves = [wrong, { id: 1, change: add(7, 5), ifVersions: null }]
  expect(codesOf(await memberships.moveMany(by('a'), moves, 'partial'))).toEqual([bad, null])
  const removals = [wrong, { id: 99, ifVersions: null }]
  expect(codesOf(await memberships.removeMany(by('a'), removals, 'partial'))).toEqual([bad, 'NOT_FOUND'])
})

test('an atomic bulk with an item that could not be read does nothing', async () => {
  const answer = await memberships.addMany(by('a'), [{ userId: 7, teamId: 3 }, wrong], 'atomic')
  expect(answer).toEqual({
    applied: false,
    items: [
      { membership: null, error: null },
      { membership: null, error: wrong },
    ],
  })
  expect(await store.events.newest('a')).toBe(0)
})

test('an id that comes a second time is refused, unless the first item could not be read', async () => {
  const move = (id: number, teamId: number) => ({ id, change: { teamId }, ifVersions: null })
  const moved = await memberships.moveMany(by('a'), [wrong, move(1, 4), move(2, 4), move(1, 5)], 'partial')
  const bad = 'BAD_USER_INPUT'
  expect(codesOf(moved)).toEqual([bad, 'NOT_FOUND', 'NOT_FOUND', bad])
  expect(moved.items[3]?.error?.message).toMatch(/^Item `1` .* `1`/)
  const removal = { id: 1, ifVersions: null }
  const removed = await memberships.removeMany(by('a'), [removal, removal], 'atomic')
  expect([removed.applied, ...codesOf(removed)]).toEqual([false, null, bad])
})

// A thousand moves look for rings in one pass: each passes its pair to the one before it, and the last to the first.
test('a ring of a thousand is found', () => {
  const rows = range(1_000).map(id => ({ id, userId: 7, teamId: id, leader: null, version: 1 }))
  const moves = rows.map(({ id, teamId }) => ({
    id,
    change: { teamId: (teamId % 1_000) + 1 },
    ifVersions: null,
  }))
  const verdicts = decideMoves(prepareMoves(moves, rows), rows)
  expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(['moved']))
  const open = decideMoves(prepareMoves(moves.slice(1), rows), rows)
  expect(new Set(open.map(({ kind }) => kind))).toEqual(new Set(['duplicate']))
})
