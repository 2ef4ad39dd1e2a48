import { beforeEach, expect, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { add, together } from '../memberships/bulk-changes.ts'

eachStore(harness => {
  let store: Store
  let heard: (string | null)[]
  let stopListening: () => void
  beforeEach(async () => {
    store = await harness.open()
    heard = []
    stopListening = store.events.onChange(accountCode => heard.push(accountCode))
    // PostgreSQL says that it listens, SQLite need not.
    if (harness.engine === 'PostgreSQL') await expect.poll(() => heard).toEqual([null])
    heard.length = 0
  })

  test('a listener gets the account of each kind of change, with or without an idempotency key', async () => {
    const steps = { ...by('keyed'), step: { key: 'k', number: 1 } }
    await store.memberships.add(steps, { userId: 1, teamId: 1 })
    await expect.poll(() => heard).toContain('keyed')
    for (const change of [
      () => store.memberships.add(by('a'), { userId: 1, teamId: 1 }),
      (id: number) => store.memberships.move(by('a'), id, { teamId: 2 }, null),
      (id: number) => store.memberships.remove(by('a'), id, null),
      () => store.memberships.changeMany(by('a'), together([add(1, 3), add(1, 4)]), 'atomic'),
    ]) {
      heard.length = 0
      const [event] = await store.events.listAfter('a', 0, 1)
      await change(event?.membershipId ?? 0)
      await expect.poll(() => heard).toContain('a')
    }
  })

  test('a listener is called after the commit', async () => {
    const sequences: Promise<number>[] = []
    stopListening()
    store.events.onChange(accountCode => {
      if (accountCode !== null) sequences.push(store.events.newest(accountCode))
    })
    await store.memberships.add(by('a'), { userId: 1, teamId: 1 })
    await expect.poll(() => sequences).toHaveLength(1)
    expect(await sequences[0]).toBe(1)
  })

  test('many changes at once cause few notifications', async () => {
    const adding = Array.from({ length: 200 }, (_, index) =>
      store.memberships.add(by('a'), { userId: index + 1, teamId: 1 }),
    )
    await Promise.all(adding)
    // A notification of a later change comes after theirs.
    await store.memberships.add(by('later'), { userId: 1, teamId: 1 })
    await expect.poll(() => heard).toContain('later')
    expect(heard).toContain('a')
    expect(heard.length).toBeLessThan(100)
  })

  test('a change of an account wakes no queue, whatever the account is named', async () => {
    let wakes = 0
    const stop = store.queue.onQueued(() => (wakes += 1))
    for (const account of ['(queue)', 'Symbol(queued runs)', 'rostrum_queue']) {
      await store.memberships.add(by(account), { userId: 1, teamId: 1 })
      await expect.poll(() => heard).toContain(account)
    }
    expect(wakes).toBe(0)
    stop()
  })

  test('a removed listener is not called', async () => {
    stopListening()
    const others: (string | null)[] = []
    store.events.onChange(accountCode => others.push(accountCode))
    await store.memberships.add(by('a'), { userId: 1, teamId: 1 })
    await expect.poll(() => others).toContain('a')
    expect(heard).toEqual([])
  })
})
