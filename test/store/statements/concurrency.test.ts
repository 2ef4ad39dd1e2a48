import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { prepareFirstStart } from '../../../src/domain/directory/first-start.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'

const all = { after: null, before: null, limit: 100, fromEnd: false }

const range = (length: number) => Array.from({ length }, (_, index) => index + 1)

eachStore(harness => {
  let url: string
  let store: Store
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })

  async function add(userId: number, teamId: number): Promise<number> {
    const added = await store.memberships.add(by('a'), { userId, teamId })
    if (added.kind !== 'added') throw new Error('The pair was there before.')
    return added.membership.id
  }

  test('200 moves of one membership at once leave one row of the same id, and no reader sees two or none', async () => {
    const id = await add(7, 1)
    const seen: number[] = []
    const look = async () => seen.push((await store.memberships.pageByUsers('a', [7], all)).length)
    // Each look starts twenty moves, and the next look comes in between them.
    const looks = range(10).map(() => Promise.withResolvers<void>())
    const reader = (async () => {
      for (const { resolve } of looks) {
        await look()
        resolve()
        await nextTurn()
      }
      await look()
    })()
    const results = await Promise.all(
      range(200).map(async count => {
        await looks[count % 10]?.promise
        return store.memberships.move(by('a'), id, { teamId: count + 1 }, null)
      }),
    )
    await reader
    expect(new Set(results.map(result => result.kind))).toEqual(new Set(['moved']))
    expect(new Set(seen)).toEqual(new Set([1]))
    expect(await store.memberships.pageByUsers('a', [7], all)).toMatchObject([{ id, version: 201 }])
  })

  test('of 50 adds of one pair at once, one adds it and 49 name it', async () => {
    const results = await Promise.all(
      range(50).map(() => store.memberships.add(by('a'), { userId: 7, teamId: 3 })),
    )
    const added = results.filter(result => result.kind === 'added')
    const named = results.flatMap(result => (result.kind === 'duplicate' ? result.existingId : []))
    expect(added).toHaveLength(1)
    expect(named).toEqual(Array(49).fill(added[0]?.membership.id))
    expect(await store.memberships.pageByUsers('a', [7], all)).toHaveLength(1)
  })

  test('of 20 moves at once that allow the same version, one moves', async () => {
    const id = await add(7, 1)
    const results = await Promise.all(
      range(20).map(count => store.memberships.move(by('a'), id, { teamId: count + 1 }, [1])),
    )
    expect(results.filter(result => result.kind === 'moved')).toHaveLength(1)
    expect(results.filter(result => result.kind === 'stale')).toHaveLength(19)
    expect((await store.memberships.findByIds('a', [id]))[0]?.version).toBe(2)
  })

  test("two memberships that move to each other's pair both get an answer", async () => {
    const first = await add(7, 1)
    const second = await add(7, 2)
    for (const _ of range(10)) {
      const results = await Promise.all([
        store.memberships.move(by('a'), first, { teamId: 2 }, null),
        store.memberships.move(by('a'), second, { teamId: 1 }, null),
      ])
      expect(results).toEqual([
        { kind: 'duplicate', existingId: second },
        { kind: 'duplicate', existingId: first },
      ])
    }
  })

  test('a pair that is added and removed is always added, in the way or gone', async () => {
    const results = await Promise.all(
      range(60).map(async () => {
        const added = await store.memberships.add(by('a'), { userId: 7, teamId: 3 })
        const id = added.kind === 'added' ? added.membership.id : added.existingId
        const removed = await store.memberships.remove(by('a'), id, null)
        return [added.kind, removed.kind]
      }),
    )
    const count = (kind: string) => results.flat().filter(found => found === kind).length
    expect(count('added')).toBe(count('removed'))
    expect(await store.memberships.pageByUsers('a', [7], all)).toEqual([])
  })

  test('memberships added at once make the records they share', async () => {
    const pairs = range(10).flatMap(userId => range(10).map(teamId => ({ userId, teamId })))
    const results = await Promise.all(pairs.map(pair => store.memberships.add(by('a'), pair)))
    expect(results.every(result => result.kind === 'added')).toBe(true)
    expect(await store.users.findByIds('a', range(10))).toHaveLength(10)
    expect(await store.teams.findByIds('a', range(10))).toHaveLength(10)
  })

  test('two connections see each other’s changes as soon as they are answered', async () => {
    const other = await openStore({ url })
    try {
      const id = await add(7, 1)
      expect(await other.memberships.move(by('a'), id, { teamId: 2 }, null)).toMatchObject({ kind: 'moved' })
      expect(await store.memberships.findByIds('a', [id])).toMatchObject([{ teamId: 2, version: 2 }])
    } finally {
      await other.close()
    }
  })

  test('of two gateways that start at once on an empty store, one prints a token', async () => {
    const started = await Promise.all([prepareFirstStart(store, null), prepareFirstStart(store, null)])
    expect(started.filter(({ createdToken }) => createdToken !== null)).toHaveLength(1)
    expect(await store.tokens.list(null)).toHaveLength(1)
  })

  test('two gateways that start at once with one admin token leave it valid once', async () => {
    const token = 'an-admin-token-of-ours'
    await Promise.all([prepareFirstStart(store, token), prepareFirstStart(store, token)])
    const valid = (await store.tokens.list(null)).filter(({ revokedAt }) => revokedAt === null)
    expect(valid).toHaveLength(1)
  })
})
