import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createEventFollowers } from '../../../src/domain/events/event-followers.ts'
import { createEventFollowing } from '../../../src/domain/events/follow-events.ts'
import type { Store } from '../../../src/domain/store.ts'
import { storedRowBytes } from '../../../src/domain/store-limits.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { writeRows } from '../databases/write-rows.ts'

const waitForTurn = async () => {}

eachStore(harness => {
  let url: string
  let store: Store
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })

  const create = (accountCode: string, changedFields: string) =>
    store.cases.commit({
      ...{
        origin: by(accountCode),
        caseTypeCode: 'incident',
        read: null,
        revision: 0,
        data: '{}',
        values: null,
      },
      ...{ changedFields, functionName: null, runs: null, runIds: [], after: null, previousData: null },
      leaseHolder: 'me',
    })
  const idsOf = async (accountCode: string) =>
    (await store.cases.events.listAfter(accountCode, 0, 1_000)).map(({ sequence }) => sequence)
  const makeOld = (table: string, condition: string) => {
    const longAgo = harness.engine === 'SQLite' ? '0' : 'to_timestamp(0)'
    return writeRows(url, `update ${table} set created_at = ${longAgo} where ${condition}`)
  }
  const deleteOld = () => store.deleteExpiredEvents(30 * 86_400_000, new AbortController().signal)

  test('events past their days are deleted and free their bytes, the others and those of others stay', async () => {
    for (let count = 0; count < 45; count++) await create('a', `{"a":[${count},null]}`)
    await create('b', '{}')
    await create('a', `{"a":["${'x'.repeat(5_000)}",null]}`)
    await makeOld('case_events', `account_code = 'a' and id < 44`)
    const before = await store.accounts.findStoredBytes('a')
    await deleteOld()
    expect(await idsOf('a')).toEqual([44, 45, 46])
    expect(await idsOf('b')).toEqual([1])
    const freed = Array.from({ length: 43 }, (_, count) => `{"a":[${count},null]}`.length + storedRowBytes)
    expect(before - (await store.accounts.findStoredBytes('a'))).toBe(
      freed.reduce((sum, bytes) => sum + bytes),
    )
    await create('a', '{}')
    expect(await idsOf('a')).toEqual([44, 45, 46, 47])
  })

  test('large events go a few at a time', async () => {
    const long = `{"a":["${'x'.repeat(2 ** 21)}",null]}`
    for (let count = 0; count < 5; count++) await create('a', long)
    await makeOld('case_events', 'true')
    await deleteOld()
    expect(await idsOf('a')).toEqual([5])
  })

  test('events that grow old meanwhile stay for the next time, so that it finds an end on a busy store', async () => {
    for (let count = 0; count < 41; count++) await create('a', '{}')
    await makeOld('case_events', 'id <= 20')
    const ageMs = 30 * 86_400_000
    const earlier = { SQLite: `created_at - ${ageMs}`, PostgreSQL: `created_at - interval '30 days'` }
    await writeRows(
      url,
      `update case_events set created_at = ${earlier[harness.engine]} where id between 21 and 40`,
    )
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    // An hour passes with each transaction.
    const { signal } = new AbortController()
    let looks = 0
    const isAborted = () => {
      if (looks++ > 0) vi.advanceTimersByTime(3_600_000)
      return false
    }
    Object.defineProperty(signal, 'aborted', { get: isAborted })
    await store.deleteExpiredEvents(ageMs, signal)
    expect((await idsOf('a'))[0]).toBe(21)
    await deleteOld()
    expect(await idsOf('a')).toEqual([41])
  })

  test('the newest event stays, so a follower goes on from any cursor with the oldest event that exists', async () => {
    for (const teamId of [1, 2, 3]) await store.memberships.add(by('a'), { userId: 1, teamId })
    const before = await store.accounts.findStoredBytes('a')
    await makeOld('membership_events', 'true')
    await deleteOld()
    expect(await store.events.newest('a')).toBe(3)
    expect(before - (await store.accounts.findStoredBytes('a'))).toBe(2 * storedRowBytes)
    const following = createEventFollowing(store.events, createEventFollowers(store.events), { waitForTurn })
    for (const [after, next] of [
      [1, 3],
      [3, 4],
    ]) {
      const controller = new AbortController()
      const given = { accountCode: 'a', after: after ?? 0, confirm: async () => {}, onTrouble: () => {} }
      const events = await following.follow({ ...given, signal: controller.signal })
      if (next === 4) await store.memberships.add(by('a'), { userId: 1, teamId: 4 })
      expect((await events.next()).value).toMatchObject({ sequence: next })
      controller.abort()
    }
  })
})
