import { expect, test } from 'vitest'
import { createEventFollowers } from '../../src/domain/events/event-followers.ts'
import { createEventFollowing } from '../../src/domain/events/follow-events.ts'
import type { Store } from '../../src/domain/store.ts'
import { eachStore } from '../store/databases/each-store.ts'
import { by } from '../store/databases/origin.ts'

const waitForTurn = async () => {}

eachStore(harness => {
  const add = (store: Store, userId: number) => store.memberships.add(by('a'), { userId, teamId: 1 })

  test('a follower gets events of another process by its next look at the store', async () => {
    const url = await harness.freshUrl()
    const store = await harness.open({ url })
    const other = await harness.open({ url })
    const following = createEventFollowing(store.events, createEventFollowers(store.events), { waitForTurn })
    const events = await following.follow({
      accountCode: 'a',
      after: null,
      confirm: async () => undefined,
      signal: new AbortController().signal,
      onTrouble: error => expect.unreachable(String(error)),
    })
    await add(other, 1)
    expect((await events.next()).value).toMatchObject({ sequence: 1, kind: 'added' })
    const second = events.next()
    await add(other, 2)
    expect((await second).value).toMatchObject({ sequence: 2 })
    await events.return()
  })
})
