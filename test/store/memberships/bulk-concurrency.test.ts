import { beforeEach, expect, test } from 'vitest'
import type { ChangeResult } from '../../../src/domain/memberships/membership-store.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { add, addEach, kindsOf, move, range, remove, together } from './bulk-changes.ts'

const all = { after: null, before: null, limit: 1_000, fromEnd: false }

eachStore(harness => {
  let store: Store
  let other: Store
  beforeEach(async () => {
    const url = await harness.freshUrl()
    store = await harness.open({ url })
    // One gateway serves a file of SQLite.
    other = harness.engine === 'SQLite' ? store : await harness.open({ url })
  })

  const readEvents = () => store.events.listAfter('a', 0, 100_000)

  test('bulks and single changes of the same rows are all done, each on the version that it finds', async () => {
    const ids = await addEach(
      store,
      range(40).map(userId => ({ userId, teamId: 1 })),
    )
    let moves = 0
    const move1 = async (from: Store, id: number, teamId: number) => [
      await from.memberships.move(by('a'), id, { teamId }, null),
    ]
    const moveAll = async (from: Store, order: readonly number[], teamId: number) =>
      (await from.memberships.changeMany(by('a'), together(order.map(id => move(id, { teamId }))), 'atomic'))
        .results
    for (const round of range(5)) {
      const results: (readonly ChangeResult[])[] = await Promise.all([
        moveAll(store, ids, round * 100),
        moveAll(other, ids.toReversed(), round * 100 + 1),
        ...ids.map((id, index) => move1(index % 2 === 0 ? store : other, id, round * 100 + 2)),
        moveAll(other, ids, round * 100 + 3),
      ])
      moves += results.flat().length
      expect(new Set(kindsOf(results.flat()))).toEqual(new Set(['moved']))
    }
    const rows = await store.memberships.findByIds('a', ids)
    expect(rows.reduce((sum, { version }) => sum + version - 1, 0)).toBe(moves)
    const events = await readEvents()
    expect(events.map(({ sequence }) => sequence)).toEqual(range(40 + moves))
  })

  test('a removal that waits for a bulk removes the row which the bulk has moved', async () => {
    const ids = await addEach(
      store,
      range(40).map(userId => ({ userId, teamId: 1 })),
    )
    const [bulk, ...removals] = await Promise.all([
      store.memberships.changeMany(by('a'), together(ids.map(id => move(id, { teamId: 2 }))), 'partial'),
      ...ids.map(id => other.memberships.remove(by('a'), id, null)),
    ])
    expect(kindsOf(removals)).toEqual(ids.map(() => 'removed'))
    const moved = bulk.results.filter(({ kind }) => kind === 'moved')
    expect(await store.memberships.findByIds('a', ids)).toEqual([])
    expect(await store.events.newest('a')).toBe(80 + moved.length)
  })

  test('of two atomic bulks that add the same pairs in other orders, one adds and the other names all', async () => {
    const pairs = range(60).map(teamId => add(7, teamId))
    for (const _ of range(3)) {
      const [one, two] = await Promise.all([
        store.memberships.changeMany(by('a'), together(pairs), 'atomic'),
        other.memberships.changeMany(by('a'), together(pairs.toReversed()), 'atomic'),
      ])
      const [done, refused] = one.applied ? [one, two] : [two, one]
      const ids = done.results.map(result => (result.kind === 'added' ? result.membership.id : 0))
      expect(refused.applied).toBe(false)
      const named = refused.results.map(result => (result.kind === 'duplicate' ? result.existingId : 0))
      expect(named.toSorted()).toEqual(ids.toSorted())
      const removed = await store.memberships.changeMany(
        by('a'),
        together(ids.map(id => remove(id))),
        'atomic',
      )
      expect(removed.applied).toBe(true)
    }
    expect((await readEvents()).map(({ sequence }) => sequence)).toEqual(range(3 * 120))
  })

  test('pairs of a bulk that are also added singly are added once', async () => {
    const pairs = range(30).map(teamId => ({ userId: 100 + teamId, teamId }))
    const [bulk, ...singles] = await Promise.all([
      store.memberships.changeMany(
        by('a'),
        together(pairs.map(({ userId, teamId }) => add(userId, teamId))),
        'partial',
      ),
      ...pairs.toReversed().map(pair => other.memberships.add(by('a'), pair)),
    ])
    const kinds = kindsOf([...bulk.results, ...singles])
    expect(kinds.filter(kind => kind === 'added')).toHaveLength(30)
    expect(kinds.filter(kind => kind === 'duplicate')).toHaveLength(30)
    expect(await store.events.newest('a')).toBe(30)
  })

  test('a reader sees all pairs at every moment while rows pass them on', async () => {
    const ids = await addEach(
      store,
      range(50).map(teamId => ({ userId: 7, teamId })),
    )
    const seen: number[] = []
    let isRead = false
    const reading = (async () => {
      for (const _ of range(20)) {
        const teams = (await other.memberships.pageByUsers('a', [7], all)).map(({ teamId }) => teamId)
        seen.push(new Set(teams).size)
        await new Promise(setImmediate)
      }
    })().finally(() => {
      isRead = true
    })
    for (let round = 1; !isRead; round += 1) {
      const onwards = ids.map((id, index) => move(id, { teamId: index + 1 + round })).toReversed()
      const { applied } = await store.memberships.changeMany(by('a'), together(onwards), 'atomic')
      expect(applied).toBe(true)
    }
    await reading
    expect(new Set(seen)).toEqual(new Set([50]))
  })
})
