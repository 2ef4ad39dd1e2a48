import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { KeyClaim, KeyClaimRequest } from '../../../src/domain/idempotency/idempotency.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'

const day = 24 * 60 * 60 * 1000

const asked: KeyClaimRequest = {
  accountCode: 'a',
  key: 'k',
  holder: 'one',
  fingerprint: Buffer.alloc(32, 1),
  leaseMs: 10_000,
  retentionMs: day,
  maxBytes: 2 ** 30,
  isRepeatable: true,
}
const ofOther = { ...asked, holder: 'other' }
// Of a gateway that died over it.
const lapsed = { ...asked, leaseMs: 0 }
const step = { ...by('a'), step: { key: 'k', number: 1 } }

eachStore(harness => {
  let url: string
  let store: Store
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })
  const claim = (request: KeyClaimRequest) => store.idempotency.claim(request)
  const settle = (claim: KeyClaim, answer: Buffer | string, maxBytes: number | null = null) =>
    store.idempotency.storeAnswer(claim, Buffer.from(answer), maxBytes)

  test('a key that was answered gives the answer, byte for byte, to every gateway', async () => {
    const answer = Buffer.from(Array.from({ length: 2 * 2 ** 20 }, (_, index) => index % 256))
    expect(await claim(asked)).toEqual({ kind: 'claimed' })
    expect(await settle(asked, answer)).toBe('kept')
    for (const request of [asked, ofOther]) {
      const result = await claim(request)
      expect(result.kind === 'answered' && result.answer.equals(answer)).toBe(true)
    }
  })

  test('a key belongs to one request, before and after its answer', async () => {
    const request = { ...asked, fingerprint: Buffer.alloc(32, 2) }
    await claim(asked)
    expect(await claim(request)).toEqual({ kind: 'other' })
    await settle(asked, 'answer')
    expect(await claim(request)).toEqual({ kind: 'other' })
  })

  test('a key with the fingerprint of the last version belongs to its request', async () => {
    const digest = Buffer.alloc(32, 7)
    const old = { ...asked, fingerprint: digest, leaseMs: 0 }
    const fingerprint = Buffer.concat([Buffer.of(2), digest])
    const now = { ...ofOther, fingerprint, lastFingerprint: digest }
    const other = { ...now, fingerprint: Buffer.alloc(33, 3), lastFingerprint: Buffer.alloc(32, 3) }
    await claim(old)
    expect(await claim(other)).toEqual({ kind: 'other' })
    expect(await claim(now)).toEqual({ kind: 'claimed' })
    await settle(now, 'answer')
    expect(await claim({ ...now, holder: 'third' })).toEqual({
      kind: 'answered',
      answer: Buffer.from('answer'),
    })
    expect(await claim(other)).toEqual({ kind: 'other' })
    // Who takes a key over writes its own fingerprint, so that the next version finds it too.
    expect(await claim(old)).toEqual({ kind: 'other' })
  })

  test('a key of another account is another', async () => {
    await claim(asked)
    expect(await claim({ ...asked, accountCode: 'b', fingerprint: Buffer.alloc(32, 2) })).toEqual({
      kind: 'claimed',
    })
  })

  test('a claim of a dead gateway is taken over, and only the new holder can settle it', async () => {
    await claim(lapsed)
    expect(await claim(ofOther)).toEqual({ kind: 'claimed' })
    expect(await settle(asked, 'of the dead')).toBe('lost')
    expect(await settle(ofOther, 'answer')).toBe('kept')
    expect(await claim(asked)).toEqual({ kind: 'answered', answer: Buffer.from('answer') })
  })

  test('a gateway can claim its own lost claim again', async () => {
    await claim(asked)
    expect(await claim(asked)).toEqual({ kind: 'claimed' })
  })

  test('a request that can only be tried once is cut off with its gateway', async () => {
    await claim({ ...lapsed, isRepeatable: false })
    expect(await claim({ ...ofOther, isRepeatable: false })).toEqual({ kind: 'cut off' })
  })

  test('an expired key counts as absent, and so do its steps', async () => {
    const pair = { userId: 7, teamId: 3 }
    await claim(asked)
    await store.memberships.add(step, pair)
    await settle(asked, 'answer')
    expect(await claim({ ...ofOther, fingerprint: Buffer.alloc(32, 2), retentionMs: 0 })).toEqual({
      kind: 'claimed',
    })
    expect((await store.memberships.add(step, pair)).kind).toBe('duplicate')
    expect(await claim({ ...ofOther, fingerprint: Buffer.alloc(32, 2) })).toEqual({ kind: 'claimed' })
  })

  describe('a claim that is given back', () => {
    test('undone is free for any request', async () => {
      await claim({ ...asked, isRepeatable: false })
      await store.idempotency.release(asked, 'undone')
      expect(await claim({ ...ofOther, fingerprint: Buffer.alloc(32, 2) })).toEqual({ kind: 'claimed' })
    })

    test('undone after its first step is free for the same request alone', async () => {
      await claim({ ...asked, isRepeatable: false })
      await store.memberships.add(step, { userId: 7, teamId: 3 })
      await store.idempotency.release(asked, 'undone')
      expect(await claim({ ...ofOther, fingerprint: Buffer.alloc(32, 2) })).toEqual({ kind: 'other' })
      expect(await claim(ofOther)).toEqual({ kind: 'claimed' })
      expect((await store.memberships.add(step, { userId: 7, teamId: 3 })).kind).toBe('added')
    })

    test('with an unknown outcome is free for the same request alone, at once', async () => {
      await claim(asked)
      await store.idempotency.release(asked, 'unknown')
      expect(await claim({ ...ofOther, fingerprint: Buffer.alloc(32, 2) })).toEqual({ kind: 'other' })
      expect(await claim(ofOther)).toEqual({ kind: 'claimed' })
    })

    test('with an unknown outcome stays cut off if it can only be tried once', async () => {
      await claim({ ...asked, isRepeatable: false })
      await store.idempotency.release(asked, 'unknown')
      expect(await claim({ ...asked, isRepeatable: false })).toEqual({ kind: 'cut off' })
    })

    test('by a gateway that lost it stays with its new holder', async () => {
      await claim(lapsed)
      await claim(ofOther)
      await store.idempotency.release(asked, 'undone')
      expect(await settle(ofOther, 'answer')).toBe('kept')
    })
  })

  test('old keys are deleted with their steps, some at a time', async () => {
    for (const key of ['k', 'l', 'm']) await claim({ ...asked, key })
    await store.memberships.add(step, { userId: 7, teamId: 3 })
    await sleep(5)
    expect(await store.idempotency.deleteExpired(60_000, 2)).toBe(0)
    const counts: number[] = []
    for (let time = 1; time <= 3; time += 1) counts.push(await store.idempotency.deleteExpired(1, 2))
    expect(counts).toEqual([2, 1, 0])
    expect((await store.memberships.add(step, { userId: 7, teamId: 3 })).kind).toBe('duplicate')
  })

  // A SQLite file has one gateway: another holder is one before it.
  test.runIf(harness.engine === 'PostgreSQL')(
    'of 20 claims of 20 gateways at once, one succeeds and the others get `held`',
    async () => {
      const stores = [store, await harness.open({ url })]
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          stores[index % 2]?.idempotency.claim({ ...asked, holder: `${index}` }),
        ),
      )
      const kinds = results.map(result => result?.kind)
      expect(kinds.filter(kind => kind === 'claimed')).toHaveLength(1)
      expect(kinds.filter(kind => kind === 'held')).toHaveLength(19)
    },
  )

  test.runIf(harness.engine === 'PostgreSQL')('a claim that is renewed stays held', async () => {
    await claim(lapsed)
    await store.idempotency.renew(asked, 10_000)
    expect(await claim(ofOther)).toEqual({ kind: 'held' })
    await store.idempotency.renew(asked, 0)
    expect(await claim(ofOther)).toEqual({ kind: 'claimed' })
  })

  test.runIf(harness.engine === 'PostgreSQL')(
    'the database decides the age of a key, not the clock of the gateway',
    async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * day })
      onTestFinished(() => void vi.useRealTimers())
      await claim(asked)
      expect(await store.idempotency.deleteExpired(day, 2)).toBe(0)
    },
  )

  test('of 20 takers of a lapsed claim at once, one can settle it', async () => {
    await claim(lapsed)
    const holders = Array.from({ length: 20 }, (_, index) => `${index}`)
    await Promise.all(holders.map(holder => claim({ ...asked, holder })))
    const settled = await Promise.all(holders.map(holder => settle({ ...asked, holder }, holder)))
    expect(settled.filter(outcome => outcome === 'kept')).toHaveLength(1)
  })
})
