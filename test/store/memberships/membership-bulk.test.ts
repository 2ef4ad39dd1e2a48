import { beforeEach, expect, test } from 'vitest'
import type { Membership } from '../../../src/domain/memberships/membership-store.ts'
import type { Origin } from '../../../src/domain/port.ts'
import type { Store } from '../../../src/domain/store.ts'
import { type ColumnDescription, toColumnName } from '../../../src/store/tables/describe-table.ts'
import { descriptions } from '../../../src/store/tables/descriptions.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { readRows } from '../databases/read-rows.ts'
import { writeRows } from '../databases/write-rows.ts'
import { add, addEach, type Change, kindsOf, move, range, remove, together } from './bulk-changes.ts'

const byId = (one: Membership, other: Membership) => one.id - other.id

eachStore(harness => {
  let store: Store
  beforeEach(async () => {
    store = await harness.open()
  })

  const changeSome = (changes: readonly Change[], origin = by('a')) =>
    store.memberships.changeMany(origin, together(changes), 'partial')
  const changeAll = (changes: readonly Change[], origin = by('a')) =>
    store.memberships.changeMany(origin, together(changes), 'atomic')
  const find = async (ids: readonly number[]) => (await store.memberships.findByIds('a', ids)).toSorted(byId)

  test('added memberships have ascending ids, records and events in the order of the items', async () => {
    const { applied, results } = await changeAll([add(9, 1), add(8, 1), add(7, 2)])
    const rows = results.flatMap(result => (result.kind === 'added' ? result.membership : []))
    expect(applied).toBe(true)
    expect(rows).toMatchObject([
      { userId: 9, teamId: 1, leader: null, version: 1 },
      { userId: 8, teamId: 1, leader: null, version: 1 },
      { userId: 7, teamId: 2, leader: null, version: 1 },
    ])
    expect(await find(rows.map(({ id }) => id))).toEqual(rows)
    expect(await store.users.findByIds('a', [7, 8, 9])).toHaveLength(3)
    expect(await store.teams.findByIds('a', [1, 2])).toHaveLength(2)
    const events = await store.events.listAfter('a', 0, 10)
    expect(events).toMatchObject(
      rows.map(({ id, userId, teamId }, index) => ({
        sequence: index + 1,
        kind: 'added',
        membershipId: id,
        before: null,
        after: { userId, teamId },
        userId: 1,
        email: 'ann@example.com',
        transactionId: by('a').transactionId,
      })),
    )
  })

  test('ids go on after those of single adds, and single ones after them', async () => {
    const [before = 0] = await addEach(store, [{ userId: 1, teamId: 1 }])
    const { results } = await changeAll([add(2, 1), add(3, 1)])
    const [after = 0] = await addEach(store, [{ userId: 4, teamId: 1 }])
    const ids = results.map(result => (result.kind === 'added' ? result.membership.id : 0))
    expect([before, ...ids, after]).toEqual([before, ...ids, after].toSorted((one, other) => one - other))
    expect(new Set([before, ...ids, after]).size).toBe(4)
    expect(await store.events.newest('a')).toBe(4)
  })

  test('a pair that is added twice is named the second time by the id of the first', async () => {
    const [first, second] = (await changeSome([add(7, 3), add(7, 3)])).results
    if (first?.kind !== 'added') throw new Error('The pair was there before.')
    expect(second).toEqual({ kind: 'duplicate', existingId: first.membership.id })
  })

  test('one bad item leaves an atomic bulk undone, and each bad item has its error', async () => {
    const [id = 0, other = 0, third = 0] = await addEach(
      store,
      range(3).map(teamId => ({ userId: 7, teamId })),
    )
    expect(await changeAll([add(8, 3), add(8, 3), add(50, 60), add(7, 1)])).toEqual({
      applied: false,
      results: [
        { kind: 'undone' },
        { kind: 'repeated', index: 0 },
        { kind: 'undone' },
        { kind: 'duplicate', existingId: id },
      ],
    })
    const moves = [move(id, { userId: 50 }), move(99, { teamId: 1 }), move(other, { teamId: 3 })]
    expect(await changeAll([...moves, move(third, { teamId: 9 }, [9])])).toEqual({
      applied: false,
      results: [
        { kind: 'undone' },
        { kind: 'missing' },
        { kind: 'duplicate', existingId: third },
        { kind: 'stale', version: 1 },
      ],
    })
    expect(await changeAll([remove(id), remove(99), remove(other, [9])])).toEqual({
      applied: false,
      results: [{ kind: 'undone' }, { kind: 'missing' }, { kind: 'stale', version: 1 }],
    })
    expect((await find([id, other, third])).map(({ teamId, version }) => [teamId, version])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ])
    expect(await store.users.findByIds('a', [8, 50])).toEqual([])
    expect(await store.events.newest('a')).toBe(3)
  })

  test('a move keeps every other column of its row', async () => {
    const url = await harness.freshUrl()
    const own = await harness.open({ url })
    const [id = 0] = await addEach(own, [{ userId: 7, teamId: 3 }])
    const kept = Object.entries<ColumnDescription>(descriptions.teamMemberships.columns).filter(
      ([key]) => !['accountCode', 'id', 'userId', 'teamId', 'version'].includes(key),
    )
    const isSqlite = harness.engine === 'SQLite'
    const values = {
      text: `'kept'`,
      integer: '5',
      boolean: isSqlite ? '1' : 'true',
      time: isSqlite ? '1000' : `'2020-01-01'`,
      bytes: isSqlite ? `x'01'` : `'\\x01'`,
    }
    const assignments = kept.map(([key, { type }]) => `${toColumnName(key)} = ${values[type]}`)
    await writeRows(url, `update team_memberships set ${assignments.join()} where id = ${id}`)
    const read = () =>
      readRows(url, `select ${kept.map(([key]) => toColumnName(key)).join()} from team_memberships`)
    const before = await read()
    const moves = [move(id, { teamId: 4 })]
    expect((await own.memberships.changeMany(by('a'), together(moves), 'atomic')).applied).toBe(true)
    expect(await read()).toEqual(before)
  })

  test('a partial bulk leaves out bad items', async () => {
    const [id = 0] = await addEach(store, [{ userId: 7, teamId: 3 }])
    const added = await changeSome([add(8, 3), add(7, 3), add(9, 3)])
    expect([added.applied, ...kindsOf(added.results)]).toEqual([true, 'added', 'duplicate', 'added'])
    const moved = await changeSome([move(99, { teamId: 4 }), move(id, { teamId: 4 })])
    expect([moved.applied, ...kindsOf(moved.results)]).toEqual([true, 'missing', 'moved'])
    expect(await find([id])).toMatchObject([{ teamId: 4, version: 2 }])
    const removed = await changeSome([remove(id), remove(99)])
    expect([removed.applied, ...kindsOf(removed.results)]).toEqual([true, 'removed', 'missing'])
    expect(await find([id])).toEqual([])
    expect(await store.events.newest('a')).toBe(5)
  })

  test('memberships pass their pairs on to each other in a chain and in a ring', async () => {
    const ids = await addEach(
      store,
      range(5).map(teamId => ({ userId: 7, teamId })),
    )
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = ids
    const ring = [move(a, { teamId: 2 }), move(c, { teamId: 1 }), move(b, { teamId: 3 })]
    const chain = [move(e, { teamId: 6 }), move(d, { teamId: 5 })]
    const { results } = await changeAll([...ring, ...chain])
    expect(new Set(kindsOf(results))).toEqual(new Set(['moved']))
    expect((await find(ids)).map(({ teamId, version }) => [teamId, version])).toEqual([
      [2, 2],
      [3, 2],
      [1, 2],
      [5, 2],
      [6, 2],
    ])
    const events = await store.events.listAfter('a', 5, 10)
    expect(events.map(({ membershipId }) => membershipId)).toEqual([a, c, b, e, d])
  })

  test('a ring is made before the moves beside it, and not if one of its moves cannot be', async () => {
    const ids = await addEach(
      store,
      range(3).map(teamId => ({ userId: 7, teamId })),
    )
    const [a = 0, b = 0, c = 0] = ids
    const swap = [move(a, { teamId: 2 }), move(b, { teamId: 1 })]
    const stale = await changeSome([move(a, { teamId: 2 }), move(b, { teamId: 1 }, [9])])
    expect(stale.results).toEqual([
      { kind: 'duplicate', existingId: b },
      { kind: 'stale', version: 1 },
    ])
    const { results } = await changeSome([move(c, { teamId: 1 }), ...swap])
    expect(results[0]).toEqual({ kind: 'duplicate', existingId: b })
    expect(kindsOf(results)).toEqual(['duplicate', 'moved', 'moved'])
    expect((await find(ids)).map(({ teamId }) => teamId)).toEqual([2, 1, 3])
  })

  test('a chain is made from the free pair on, as single moves would be', async () => {
    const [a = 0, b = 0] = await addEach(
      store,
      range(2).map(teamId => ({ userId: 7, teamId })),
    )
    const forwards = await changeSome([move(a, { teamId: 2 }), move(b, { teamId: 3 })])
    expect(kindsOf(forwards.results)).toEqual(['duplicate', 'moved'])
  })

  test('a thousand memberships that pass their pairs on are moved', async () => {
    const { results } = await changeAll(range(1_000).map(teamId => add(7, teamId)))
    const ids = results.map(result => (result.kind === 'added' ? result.membership.id : 0))
    const onwards = ids.map((id, index) => move(id, { teamId: index + 2 }, [1])).toReversed()
    expect((await changeAll(onwards)).applied).toBe(true)
    expect((await find(ids)).map(({ teamId }) => teamId)).toEqual(range(1_001).slice(1))
    expect((await changeAll(ids.map(id => remove(id, [2])))).applied).toBe(true)
    expect(await find(ids)).toEqual([])
    expect(await store.events.newest('a')).toBe(3_000)
  })

  test('a move to the same values answers the row, and makes no version and no event', async () => {
    const [id = 0] = await addEach(store, [{ userId: 7, teamId: 3 }])
    const membership = { id, userId: 7, teamId: 3, leader: null, version: 1 }
    expect((await changeAll([move(id, { userId: 7, teamId: 3 })])).results).toEqual([
      { kind: 'moved', membership },
    ])
    expect(await store.events.newest('a')).toBe(1)
  })

  test('another account finds none of the rows', async () => {
    const [id = 0] = await addEach(store, [{ userId: 7, teamId: 3 }])
    const kinds: string[] = []
    for (const change of [move(id, { teamId: 4 }), remove(id), add(7, 3)])
      kinds.push(...kindsOf((await changeSome([change], by('b'))).results))
    expect(kinds).toEqual(['missing', 'missing', 'added'])
    expect(await find([id])).toMatchObject([{ teamId: 3, version: 1 }])
  })

  test('a bulk without items does nothing', async () => {
    expect(await changeAll([])).toEqual({ applied: true, results: [] })
  })

  test('a bulk is one step of its idempotency key, unless it changed nothing', async () => {
    const origin: Origin = { ...by('a'), step: { key: 'k', number: 1 } }
    const [id = 0] = await addEach(store, [{ userId: 7, teamId: 3 }])
    expect((await changeAll([add(8, 3), add(7, 3)], origin)).applied).toBe(false)
    await store.memberships.remove(by('a'), id, null)
    const first = await changeAll([add(8, 3), add(7, 3)], origin)
    expect(first.applied).toBe(true)
    expect(await changeAll([add(8, 3), add(7, 3)], origin)).toEqual(first)
    expect(await store.events.newest('a')).toBe(4)
  })
})
