import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { type KeyClaimRequest, rowBytes } from '../../../src/domain/idempotency/idempotency.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { readKeyUsage } from './read-key-usage.ts'

const asked: KeyClaimRequest = {
  accountCode: 'a',
  key: 'k',
  holder: 'one',
  fingerprint: Buffer.alloc(32, 1),
  leaseMs: 10_000,
  retentionMs: 24 * 60 * 60 * 1000,
  maxBytes: 10 * rowBytes,
  isRepeatable: true,
}
const pair = { userId: 7, teamId: 3 }

eachStore(harness => {
  let url: string
  let store: Store
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })

  const claim = (key: string, request: Partial<KeyClaimRequest> = {}) =>
    store.idempotency.claim({ ...asked, ...request, key })
  const settle = (key: string, bytes: number, maxBytes: number | null = asked.maxBytes) =>
    store.idempotency.storeAnswer({ ...asked, key }, Buffer.alloc(bytes, 'x'), maxBytes)
  const addUnder = (key: string, number = 1) =>
    store.memberships.add({ ...by('a'), step: { key, number } }, { ...pair, userId: 100 + number })

  /** What the account's keys hold, as the store counts it: the same as its rows when they are added up. */
  async function readUsage(): Promise<number> {
    const { counted, ofKeys, ofRows } = await readKeyUsage(url, 'a')
    expect(counted).toBe(ofKeys)
    expect(counted).toBe(ofRows)
    return counted
  }

  test('a key counts for a row, and its answer for its bytes', async () => {
    await claim('k')
    expect(await readUsage()).toBe(rowBytes)
    expect(await settle('k', 500)).toBe('kept')
    expect(await readUsage()).toBe(rowBytes + 500)
  })

  test('an answer is kept if the account has room for it, or if there is no maximum', async () => {
    for (const key of ['k', 'l', 'm']) await claim(key)
    expect(await settle('k', 7 * rowBytes + 1)).toBe('full')
    expect(await readUsage()).toBe(3 * rowBytes)
    expect(await settle('k', 7 * rowBytes)).toBe('kept')
    expect(await settle('l', 1)).toBe('full')
    expect(await settle('l', 1, null)).toBe('kept')
    expect(await readUsage()).toBe(10 * rowBytes + 1)
  })

  test('answers that come at once are kept until the account is full', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`)
    const maxBytes = 40 * rowBytes
    await Promise.all(keys.map(key => claim(key, { maxBytes })))
    const outcomes = await Promise.all(keys.map(key => settle(key, 4 * rowBytes, maxBytes)))
    expect(outcomes.filter(outcome => outcome === 'kept')).toHaveLength(5)
    expect(outcomes.filter(outcome => outcome === 'full')).toHaveLength(15)
    expect(await readUsage()).toBe(maxBytes)
  })

  test('a full account gets no new key, and its old keys stay as they are', async () => {
    for (let n = 1; n <= 10; n += 1) expect(await claim(`${n}`)).toEqual({ kind: 'claimed' })
    await settle('1', 5, null)
    expect(await claim('11')).toEqual({ kind: 'full' })
    expect((await claim('1')).kind).toBe('answered')
    expect(await claim('2')).toEqual({ kind: 'claimed' })
    expect(await claim('1', { fingerprint: Buffer.alloc(32, 2) })).toEqual({ kind: 'other' })
    expect(await claim('1', { accountCode: 'b' })).toEqual({ kind: 'claimed' })
    expect(await readUsage()).toBe(10 * rowBytes + 5)
  })

  test('a step counts for a row and its result once its key is answered', async () => {
    await claim('k')
    await addUnder('k', 1)
    await addUnder('k', 2)
    await settle('k', 10)
    expect(await readUsage()).toBeGreaterThan(3 * rowBytes + 10 + 2 * 50)
  })

  describe('a key that is given back', () => {
    test('undone makes room', async () => {
      await claim('k')
      await store.idempotency.release({ ...asked, key: 'k' }, 'undone')
      expect(await readUsage()).toBe(0)
    })

    test.each(['undone', 'unknown'] as const)('%s with a step counts for both, and once', async outcome => {
      for (let time = 1; time <= 2; time += 1) {
        await claim('k')
        await addUnder('k')
        await store.idempotency.release({ ...asked, key: 'k' }, outcome)
        expect(await readUsage()).toBeGreaterThan(2 * rowBytes + 50)
      }
      await claim('k')
      await settle('k', 10)
      expect(await readUsage()).toBeGreaterThan(2 * rowBytes + 60)
    })

    test('by a gateway that has lost it changes nothing', async () => {
      await claim('k', { leaseMs: 0 })
      await claim('k', { holder: 'other' })
      await store.idempotency.release({ ...asked, key: 'k' }, 'undone')
      expect(await settle('k', 5)).toBe('lost')
      expect(await readUsage()).toBe(rowBytes)
    })
  })

  test('an expired key makes room when it is claimed again, and when it is deleted', async () => {
    for (const key of ['k', 'l', 'm']) await claim(key)
    await claim('of-b', { accountCode: 'b' })
    await addUnder('k')
    for (const key of ['k', 'l']) await settle(key, 2_000, null)
    await sleep(5)
    expect(await claim('l', { retentionMs: 0, maxBytes: 1 })).toEqual({ kind: 'claimed' })
    await readUsage()
    while ((await store.idempotency.deleteExpired(1, 2)) > 0) await readUsage()
    await sleep(5)
    while ((await store.idempotency.deleteExpired(1, 2)) > 0) await readUsage()
    expect(await readUsage()).toBe(0)
    expect(await claim('k', { maxBytes: rowBytes })).toEqual({ kind: 'claimed' })
  })

  async function addUnderStep(index: number, key: string, { memberships }: Store) {
    const origin = { ...by('a'), step: { key, number: 1 } }
    await memberships.add(origin, { userId: index + 1, teamId: 3 })
  }

  async function claimAndEnd(index: number, used: Store) {
    const { idempotency } = used
    const id = { ...asked, key: `key-${index % 40}`, holder: `${index}`, maxBytes: 2 ** 30, leaseMs: 0 }
    if ((await idempotency.claim(id)).kind !== 'claimed') return
    if (index % 3 === 0) await addUnderStep(index, id.key, used)
    if (index % 4 === 0) await idempotency.release(id, index % 8 === 0 ? 'undone' : 'unknown')
    else if (index % 4 < 3) await idempotency.storeAnswer(id, Buffer.alloc(index), 2 ** 30)
    if (index % 10 === 0) await idempotency.deleteExpired(1, 5)
  }

  test('claims, answers, releases and deletions at once are counted to the byte', async () => {
    const stores = harness.engine === 'SQLite' ? [store] : [store, await harness.open({ url })]
    const work = (index: number) => claimAndEnd(index, stores[index % stores.length] ?? store)
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, (_, index) => work(index)))
    // On a busy machine the database may take too long for some. What happened is counted all the same.
    const refusals = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
    expect(refusals.filter(code => code !== 'UNAVAILABLE')).toEqual([])
    expect(refusals.length).toBeLessThan(outcomes.length)
    const { counted, ofKeys } = await readKeyUsage(url, 'a')
    expect(counted).toBe(ofKeys)
  })
})
