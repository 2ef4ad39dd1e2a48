import { beforeEach, expect, test } from 'vitest'
import type { MembershipStore } from '../../../src/domain/memberships/membership-store.ts'
import type { Origin } from '../../../src/domain/port.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'

const at = (number: number, key = 'k'): Origin => ({ ...by('a'), step: { key, number } })

eachStore(harness => {
  let url: string
  let store: Store
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })

  test('a repeated step answers its first result, and changes nothing', async () => {
    const added = await store.memberships.add(at(1), { userId: 7, teamId: 3 })
    if (added.kind !== 'added') throw new Error('The pair was there before.')
    const { id } = added.membership
    const moved = await store.memberships.move(at(2), id, { teamId: 4 }, null)
    const removed = await store.memberships.remove(at(3), id, null)
    expect(await store.memberships.add(at(1), { userId: 7, teamId: 3 })).toEqual(added)
    expect(await store.memberships.move(at(2), id, { teamId: 4 }, null)).toEqual(moved)
    expect(await store.memberships.remove(at(3), id, null)).toEqual(removed)
    expect(await store.memberships.findByIds('a', [id])).toEqual([])
    expect(await store.events.newest('a')).toBe(3)
  })

  test('steps of another key, number or account are others', async () => {
    const { remove } = store.memberships
    for (const [teamId, origin] of [at(1), at(2), at(1, 'l'), { ...at(1), accountCode: 'b' }].entries()) {
      const added = await store.memberships.add(origin, { userId: 7, teamId: teamId + 1 })
      expect(added.kind).toBe('added')
    }
    expect((await remove(at(9), 12_345, null)).kind).toBe('missing')
  })

  test('a step that changed nothing is tried again', async () => {
    await store.memberships.add(by('a'), { userId: 7, teamId: 3 })
    expect((await store.memberships.add(at(1), { userId: 7, teamId: 3 })).kind).toBe('duplicate')
    await store.memberships.remove(by('a'), 1, null)
    expect((await store.memberships.add(at(1), { userId: 7, teamId: 3 })).kind).toBe('added')
  })

  test('of 20 attempts at a step at once, in two gateways, one changes and all give its result', async () => {
    const stores = harness.engine === 'SQLite' ? [store, store] : [store, await harness.open({ url })]
    const atOnce = async <Result>(
      take: (memberships: MembershipStore, teamId: number) => Promise<Result>,
    ) => {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          take(stores[index % 2]?.memberships ?? store.memberships, 1 + index),
        ),
      )
      expect(new Set(results.map(result => JSON.stringify(result))).size).toBe(1)
      return results[0]
    }
    const added = await atOnce((memberships, teamId) => memberships.add(at(1), { userId: 7, teamId }))
    const id = added?.kind === 'added' ? added.membership.id : 0
    expect(await store.events.newest('a')).toBe(1)
    const moved = await atOnce((memberships, teamId) =>
      memberships.move(at(2), id, { teamId: 100 + teamId }, null),
    )
    expect([moved?.kind, await store.events.newest('a')]).toEqual(['moved', 2])
    const bulk = await atOnce((memberships, teamId) =>
      memberships.changeMany(at(3), { kind: 'add', items: [{ userId: 8, teamId }] }, 'atomic'),
    )
    expect([bulk?.applied, await store.events.newest('a')]).toEqual([true, 3])
    const removed = await atOnce(memberships => memberships.remove(at(4), id, null))
    expect([removed?.kind, await store.events.newest('a')]).toEqual(['removed', 4])
  })
})
