import { beforeEach, expect, test } from 'vitest'
import type { Origin } from '../../../src/domain/port.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { readClock } from '../idempotency/read-clock.ts'

const origin: Origin = {
  accountCode: 'a',
  userId: 9,
  email: 'ann@example.com',
  transactionId: 'tx-1',
  step: null,
}

eachStore(harness => {
  let url: string
  let store: Store
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })

  async function add(userId: number, teamId: number, from = origin): Promise<number> {
    const added = await store.memberships.add(from, { userId, teamId })
    if (added.kind !== 'added') throw new Error('The pair was there before.')
    return added.membership.id
  }

  test('every change has an event: what, before, after, by whom, in which transaction and when', async () => {
    const startedAt = Math.floor(await readClock(url))
    const id = await add(7, 3)
    await store.memberships.move({ ...origin, userId: null, email: null }, id, { teamId: 4 }, null)
    await store.memberships.remove({ ...origin, transactionId: 'tx-2' }, id, null)
    const events = await store.events.listAfter('a', 0, 10)
    const ann = { userId: 9, email: 'ann@example.com', transactionId: 'tx-1' }
    const [before, after] = [
      { userId: 7, teamId: 3 },
      { userId: 7, teamId: 4 },
    ]
    expect(events.map(({ at: _, ...event }) => event)).toEqual([
      { sequence: 1, kind: 'added', membershipId: id, before: null, after: before, ...ann },
      { sequence: 2, kind: 'moved', membershipId: id, before, after, ...ann, userId: null, email: null },
      {
        sequence: 3,
        kind: 'removed',
        membershipId: id,
        before: after,
        after: null,
        ...ann,
        transactionId: 'tx-2',
      },
    ])
    const endedAt = Math.ceil(await readClock(url))
    for (const { at } of events) {
      expect(at.getTime()).toBeGreaterThanOrEqual(startedAt)
      expect(at.getTime()).toBeLessThanOrEqual(endedAt)
    }
  })

  test('a change that changes nothing makes no event', async () => {
    const id = await add(7, 3)
    const other = await add(8, 3)
    const none = [
      store.memberships.add(origin, { userId: 7, teamId: 3 }),
      store.memberships.move(origin, id, { teamId: 3 }, null),
      store.memberships.move(origin, other, { userId: 7 }, null),
      store.memberships.move(origin, id, { teamId: 5 }, [99]),
      store.memberships.move(origin, 999, { teamId: 5 }, null),
      store.memberships.remove(origin, id, [99]),
      store.memberships.remove(origin, 999, null),
      store.memberships.remove(by('b'), id, null),
    ]
    const kinds = (await Promise.all(none)).map(({ kind }) => kind)
    expect(kinds).toEqual([
      'duplicate',
      'moved',
      'duplicate',
      'stale',
      'missing',
      'stale',
      'missing',
      'missing',
    ])
    expect(await store.events.newest('a')).toBe(2)
    expect(await store.events.listAfter('a', 2, 10)).toEqual([])
  })

  test('each account counts its own events, and sees no other', async () => {
    await add(7, 3)
    await add(7, 3, by('b'))
    await add(8, 3, by('b'))
    expect(await store.events.newest('a')).toBe(1)
    expect((await store.events.listAfter('b', 0, 10)).map(({ sequence }) => sequence)).toEqual([1, 2])
    expect(await store.events.newest('c')).toBe(0)
  })

  test('pages follow each other from any place', async () => {
    for (let user = 1; user <= 5; user += 1) await add(user, 1)
    const sequences = async (after: number, limit: number) =>
      (await store.events.listAfter('a', after, limit)).map(({ sequence }) => sequence)
    expect(await sequences(0, 2)).toEqual([1, 2])
    expect(await sequences(2, 2)).toEqual([3, 4])
    expect(await sequences(4, 2)).toEqual([5])
  })

  test('a follower of two writing gateways sees each event once, in order, without a gap', async () => {
    const stores = harness.engine === 'SQLite' ? [store] : [store, await harness.open({ url })]
    let isDone = false
    const seen: number[] = []
    const follower = (async () => {
      while (!isDone || seen.length < (await store.events.newest('a'))) {
        for (const { sequence } of await store.events.listAfter('a', seen.at(-1) ?? 0, 7)) seen.push(sequence)
        await new Promise(setImmediate)
      }
    })()
    const work = stores.flatMap((each, index) =>
      Array.from({ length: 200 }, async (_, count) => {
        const added = await each.memberships.add(origin, { userId: 1 + count, teamId: 1 + index })
        if (added.kind === 'added' && count % 2 === 0)
          await each.memberships.move(origin, added.membership.id, { teamId: 10 + index }, null)
        if (added.kind === 'added' && count % 3 === 0)
          await each.memberships.remove(origin, added.membership.id, null)
      }),
    )
    await Promise.all(work)
    isDone = true
    await follower
    const count = stores.length * (200 + 100 + 67)
    expect(seen).toEqual(Array.from({ length: count }, (_, index) => index + 1))
  })
})
