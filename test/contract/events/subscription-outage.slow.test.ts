import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProxy, type TcpProxy } from '../../faults/replicas/start-proxy.ts'
import { type Follower, followEvents } from '../../server/clients/follow-events.ts'
import { addMembership } from '../../server/clients/memberships.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { createDatabase } from '../../store/databases/create-database.ts'

let proxy: TcpProxy
let writer: TestServer
let other: TestServer

beforeAll(async () => {
  const url = await createDatabase()
  proxy = await startProxy(Number(new URL(url).port))
  const throughProxy = url.replace(/:\d+\//, `:${proxy.port}/`)
  ;[writer, other] = await Promise.all([
    startServer({ DATABASE_URL: throughProxy }),
    startServer({ DATABASE_URL: throughProxy }),
  ])
})
afterAll(async () => {
  await Promise.all([writer.stop(), other.stop()])
  await proxy.stop()
})

const idsOf = ({ events }: Follower) => events.map(({ teamMembershipId }) => Number(teamMembershipId))

test('a stream waits while the database is gone, and goes on by itself once it is back', {
  timeout: 60_000,
}, async () => {
  const follower = await followEvents(other)
  await proxy.closeWhile(() => sleep(6_000))
  const id = await untilMade()
  await expect.poll(() => idsOf(follower), { timeout: 15_000 }).toContain(id)
  expect(follower.errors).toEqual([])
  follower.cut()
})

async function untilMade(): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    const made = await addMembership(writer).catch(() => null)
    if (made !== null) return made.id
    await sleep(200)
  }
  throw new Error('No change was made since the database came back.')
}
