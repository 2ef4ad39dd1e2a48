import { beforeEach, expect, test } from 'vitest'
import { createEventFollowers, type EventFollowers } from '../../src/domain/events/event-followers.ts'
import {
  createEventFollowing,
  type EventFollowing,
  type Following,
} from '../../src/domain/events/follow-events.ts'
import type { MembershipEvent } from '../../src/domain/memberships/membership-store.ts'
import type { Store } from '../../src/domain/store.ts'
import { RostrumError } from '../../src/errors.ts'
import { eachStore } from '../store/databases/each-store.ts'
import { by } from '../store/databases/origin.ts'

const waitForTurn = async () => {}

eachStore(harness => {
  let url: string
  let store: Store
  let statements: string[]
  let followers: EventFollowers
  let eventFollowing: EventFollowing<MembershipEvent>
  beforeEach(async () => {
    url = await harness.freshUrl()
    statements = []
    store = await harness.open({ url, onStatement: sql => statements.push(sql) })
    followers = createEventFollowers(store.events)
    eventFollowing = createEventFollowing(store.events, followers, { waitForTurn })
  })

  const follow = (following: Partial<Following<MembershipEvent>> = {}) =>
    eventFollowing.follow({
      accountCode: 'a',
      after: null,
      confirm: async () => undefined,
      signal: new AbortController().signal,
      onTrouble: error => expect.unreachable(String(error)),
      ...following,
    })

  const add = (userId: number) => store.memberships.add(by('a'), { userId, teamId: 1 })

  test('several pages of events come in order, and then new ones', async () => {
    await Promise.all(Array.from({ length: 250 }, (_, index) => add(index + 1)))
    const events = await follow({ after: 0 })
    const sequences: number[] = []
    for await (const { sequence } of events) {
      sequences.push(sequence)
      if (sequence === 250) void add(251)
      if (sequence === 251) break
    }
    expect(sequences).toEqual(Array.from({ length: 251 }, (_, index) => index + 1))
  })

  test('a follower who wants none of many events reads each page in a turn of its account', async () => {
    await Promise.all(Array.from({ length: 250 }, (_, index) => add(index + 1)))
    const turns: (() => void)[] = []
    const inTurn = { waitForTurn: () => new Promise<void>(resolve => turns.push(resolve)) }
    eventFollowing = createEventFollowing(store.events, followers, inTurn)
    const readPages = () => statements.filter(sql => /^select .*"membership_events"/is.test(sql)).length
    const takeTurn = async () => {
      await expect.poll(() => turns.length).toBe(1)
      turns.pop()?.()
    }
    const opened = follow({ after: 0, isWanted: ({ sequence }) => sequence === 250 })
    await takeTurn()
    const events = await opened
    const wanted = events.next()
    const before = readPages()
    await takeTurn()
    await takeTurn()
    await expect.poll(() => turns.length).toBe(1)
    expect(readPages() - before).toBe(2)
    await takeTurn()
    expect((await wanted).value).toMatchObject({ sequence: 250 })
    expect(readPages() - before).toBe(3)
    await events.return()
  })

  test('followers of the same place share one read', async () => {
    await add(1)
    const followers = await Promise.all(Array.from({ length: 50 }, () => follow({ after: 0 })))
    await Promise.all(followers.map(events => events.next()))
    const waiting = followers.map(events => events.next())
    statements.length = 0
    await add(2)
    expect(new Set((await Promise.all(waiting)).map(({ value }) => value?.sequence))).toEqual(new Set([2]))
    const reads = statements.filter(sql => /^select .*"membership_events"/is.test(sql))
    // One for those that were woken, and one more if they just looked.
    expect(reads.length).toBeLessThan(4)
    await Promise.all(followers.map(events => events.return()))
  })

  test('followers that a new connection to the store wakes share the look whether it has their place', async () => {
    let wake = (_: string | null) => {}
    const events = {
      ...store.events,
      onChange: (listener: (accountCode: string | null) => void) => {
        wake = listener
        return () => undefined
      },
    }
    const following = createEventFollowing(events, createEventFollowers(events), {
      waitForTurn,
      pollEveryMs: 60_000,
    })
    const { signal } = new AbortController()
    const given = { accountCode: 'a', after: 0, signal, confirm: async () => undefined, onTrouble: () => {} }
    await add(1)
    const streams = await Promise.all(Array.from({ length: 50 }, () => following.follow(given)))
    await Promise.all(streams.map(stream => stream.next()))
    const waiting = streams.map(stream => stream.next())
    statements.length = 0
    wake(null)
    await add(2)
    wake('a')
    await Promise.all(waiting)
    const reads = statements.filter(sql => /^select .*"membership_events"/is.test(sql))
    // The page and the newest event for those that just looked, and for those that were woken, and the last page.
    expect(reads.length).toBeLessThan(6)
    await Promise.all(streams.map(stream => stream.return()))
  })

  test('a follower whose credential ended gets the reason, and no later event', async () => {
    let isAllowed = true
    const confirm = async () => {
      if (!isAllowed) throw new RostrumError('FORBIDDEN', 'No longer.')
    }
    const events = await follow({ confirm })
    await add(1)
    expect((await events.next()).value).toMatchObject({ sequence: 1 })
    isAllowed = false
    await add(2)
    await expect(events.next()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  test('a follower that leaves makes room', async () => {
    const leaving = new AbortController()
    const { signal } = leaving
    const followers = await Promise.all(Array.from({ length: 100 }, () => follow({ signal })))
    await expect(follow()).rejects.toMatchObject({ code: 'OVERLOADED' })
    const waiting = followers.map(events => events.next())
    leaving.abort()
    expect(new Set((await Promise.all(waiting)).map(({ done }) => done))).toEqual(new Set([true]))
    await (await follow()).return()
  })

  test('a failed read is reported once, and tried again', async () => {
    const troubles: unknown[] = []
    let failures = 0
    let isGone = true
    const confirm = async () => {
      if (!isGone) return
      failures += 1
      throw new Error('The store is gone.')
    }
    const events = await follow({ onTrouble: error => troubles.push(error), confirm })
    const first = events.next()
    await expect.poll(() => failures).toBeGreaterThan(0)
    const failuresBefore = failures
    await add(1)
    await expect.poll(() => failures).toBeGreaterThan(failuresBefore)
    isGone = false
    await add(2)
    expect((await first).value).toMatchObject({ sequence: 1 })
    expect((await events.next()).value).toMatchObject({ sequence: 2 })
    expect(troubles).toHaveLength(1)
    await events.return()
  })

  test('a follower ends if the store lost its place while its connection was gone, and not before', async () => {
    const wakers: (() => void)[] = []
    let isOlder = false
    const events = {
      listAfter: store.events.listAfter,
      newest: async (accountCode: string) => (isOlder ? 1 : store.events.newest(accountCode)),
      onChange: (listener: (accountCode: string | null) => void) => {
        wakers.push(() => listener(null))
        return () => {}
      },
    }
    eventFollowing = createEventFollowing(events, createEventFollowers(events), { waitForTurn })
    await Promise.all([add(1), add(2)])
    const followed = await follow({ after: 0 })
    await followed.next()
    expect((await followed.next()).value).toMatchObject({ sequence: 2 })
    for (const wake of wakers) wake()
    const third = followed.next()
    await add(3)
    for (const wake of wakers) wake()
    expect((await third).value).toMatchObject({ sequence: 3 })
    isOlder = true
    const fourth = followed.next()
    for (const wake of wakers) wake()
    await expect(fourth).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
    expect(await followed.next()).toEqual({ done: true, value: undefined })
  })

  test('all followers end together, and no new one is accepted', async () => {
    const open = await Promise.all([follow(), follow({ accountCode: 'b' })])
    const waiting = open.map(events => events.next())
    followers.endAll()
    expect((await Promise.all(waiting)).map(({ done }) => done)).toEqual([true, true])
    await expect(follow()).rejects.toMatchObject({ code: 'OVERLOADED' })
  })
})
