import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Follower, followEvents } from '../../server/clients/follow-events.ts'
import { addMembership } from '../../server/clients/memberships.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { openClient } from '../../store/databases/ask-postgres.ts'
import { createDatabase } from '../../store/databases/create-database.ts'

let url: string
let writer: TestServer
let other: TestServer

beforeAll(async () => {
  url = await createDatabase()
  ;[writer, other] = await Promise.all([
    startServer({ DATABASE_URL: url }),
    startServer({ DATABASE_URL: url }),
  ])
})
afterAll(async () => {
  await Promise.all([writer.stop(), other.stop()])
})

const idsOf = ({ events }: Follower) => events.map(({ teamMembershipId }) => Number(teamMembershipId))

const inOrder = (ids: readonly number[]) => ids.toSorted((a, b) => a - b)

test('followers miss and repeat nothing while the connections that wake them are cut repeatedly', async () => {
  const followers = await Promise.all([followEvents(other), followEvents(writer)])
  const admin = await openClient(url)
  const made: number[] = []
  let isCutting = true
  const writing = Array.from({ length: 3 }, async () => {
    while (isCutting) made.push((await addMembership(writer)).id)
  })
  let cut = 0
  for (let round = 0; round < 10; round += 1) {
    await sleep(150)
    const { rows } = await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen %'`,
    )
    cut += rows.length
  }
  isCutting = false
  await Promise.all(writing)
  await admin.end()
  expect(cut).toBeGreaterThan(5)
  const expected = inOrder(made)
  for (const follower of followers) {
    await expect.poll(() => follower.events.length).toBe(expected.length)
    expect(inOrder(idsOf(follower))).toEqual(expected)
    const sequences = follower.events.map(({ cursor }) => Number(atob(cursor).slice('event:'.length)))
    expect(sequences).toEqual(inOrder(sequences))
    follower.cut()
  }
})

test('a stream ends with the reason once an older copy takes the place of the database', async () => {
  const before = await followEvents(other)
  await addMembership(writer)
  await expect.poll(() => before.events.length).toBe(1)
  // As a fail-over to a copy that lags: it lacks the change, and the connections are gone.
  const admin = await openClient(url)
  await admin.query(`
    delete from team_memberships where account_code = 'demo' and id = ${before.events[0]?.teamMembershipId};
    delete from membership_events where sequence = (select max(sequence) from membership_events);
    update counters set value = value - 1 where name = 'membership event';
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`)
  await admin.end()
  expect(await before.ended).toBe(true)
  expect(before.errors).toMatchObject([
    {
      message: expect.stringMatching(/^The database was replaced by an older copy/),
      extensions: { code: 'BAD_USER_INPUT' },
    },
  ])
  const after = await followEvents(other)
  const made = await addMembership(writer)
  await expect.poll(() => idsOf(after)).toEqual([made.id])
  expect(after.events[0]?.cursor).toBe(before.events[0]?.cursor)
  after.cut()
})
