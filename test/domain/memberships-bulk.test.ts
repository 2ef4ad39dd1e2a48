import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMemberships, type Memberships } from '../../src/domain/memberships/memberships.ts'
import type { BulkAnswer } from '../../src/domain/memberships/memberships-bulk.ts'
import { decideBulk } from '../../src/domain/memberships/memberships-bulk-decision.ts'
import type { MembershipChange, MembershipPair, Store } from '../../src/domain/store.ts'
import { RostrumError } from '../../src/errors.ts'
import { openStore } from '../../src/store/open-store.ts'
import { add, move, range, remove } from '../store/bulk-changes.ts'
import { by } from '../store/origin.ts'

let store: Store
let memberships: Memberships
beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' })
  memberships = createMemberships(store)
})
afterEach(() => store.close())

const codesOf = ({ items }: BulkAnswer) => items.map(({ error }) => error?.code ?? null)

test('a bulk takes 1,000 items and refuses 1,001', async () => {
  const pairs = range(1_001).map(teamId => add(7, teamId))
  await expect(memberships.changeMany(by('a'), pairs, 'partial')).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    message: expect.stringMatching(/1000.*1001/),
  })
  const { items } = await memberships.changeMany(by('a'), pairs.slice(1), 'partial')
  expect(items.filter(({ membership }) => membership !== null)).toHaveLength(1_000)
})

const wrong = new RostrumError('BAD_USER_INPUT', 'Not an id.')

test('an item that could not be read keeps its place and its error', async () => {
  const changes = [wrong, add(7, 3), add(0, 3), move(1, {}), wrong, remove(99), add(7, 4)]
  const answer = await memberships.changeMany(by('a'), changes, 'partial')
  const bad = 'BAD_USER_INPUT'
  expect(codesOf(answer)).toEqual([bad, null, bad, bad, bad, 'NOT_FOUND', null])
  expect(answer.items.map(({ membership }) => membership?.teamId ?? null)).toEqual([
    null,
    3,
    null,
    null,
    null,
    null,
    4,
  ])
  expect(answer.items[0]?.error).toBe(wrong)
})

test('an atomic bulk with an item that could not be read does nothing', async () => {
  const answer = await memberships.changeMany(by('a'), [add(7, 3), wrong], 'atomic')
  expect(answer).toEqual({
    applied: false,
    items: [
      { membership: null, error: null },
      { membership: null, error: wrong },
    ],
  })
  expect(await store.events.newest('a')).toBe(0)
})

// Answers from these pairs, which some memberships have, and counts how often it is asked.
function drive(changes: readonly MembershipChange[], held: (pair: MembershipPair) => boolean) {
  const deciding = decideBulk(changes, [{ id: 1, userId: 100, teamId: 100, leader: null, version: 1 }])
  let rounds = 0
  let step = deciding.next()
  while (step.done !== true) {
    rounds += 1
    step = deciding.next(step.value.filter(held).map(pair => ({ ...pair, id: 2 })))
  }
  return { rounds, kinds: step.value.map(({ kind }) => kind) }
}

// Each move's pair depends on which of those before it could be made.
const toAndFro = (count: number) =>
  range(count).map(place => move(1, place % 2 === 0 ? { teamId: place } : { userId: place }))

test('changes of different memberships are decided by asking once', () => {
  const changes = [...range(500).map(teamId => add(7, teamId)), move(1, { teamId: 3 })]
  expect(drive(changes, ({ teamId }) => teamId % 2 === 0).rounds).toBe(1)
  expect(drive([remove(1)], () => true).rounds).toBe(0)
})

test('a membership that moves back and forth takes a round for each move that fails, ten at most', () => {
  const isBeside = ({ userId, teamId }: MembershipPair) => userId === 100 || teamId === 100
  const { rounds, kinds } = drive(toAndFro(9), isBeside)
  expect(rounds).toBeGreaterThan(2)
  expect(new Set(kinds)).toEqual(new Set(['duplicate']))
  expect(() => drive(toAndFro(30), isBeside)).toThrow(
    expect.objectContaining({ code: 'BAD_USER_INPUT', message: expect.stringContaining('several calls') }),
  )
})
