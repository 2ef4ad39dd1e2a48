import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Follower, followEvents } from '../../server/clients/follow-events.ts'
import { addMembership } from '../../server/clients/memberships.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer({ ROSTRUM_ACCOUNT_REQUESTS: '20' })
})
afterAll(() => server.stop())

const followMany = (count: number, token: string) =>
  Promise.all(Array.from({ length: count }, () => followEvents(server, { token })))

test('an account has a hundred streams; the next is refused with 429, until one ends', async () => {
  const token = await server.token({ account: 'many', scopes: ['memberships:read', 'memberships:write'] })
  const followers: Follower[] = []
  // No more at once than the maximum of active requests.
  for (let tens = 0; tens < 10; tens += 1) followers.push(...(await followMany(10, token)))
  expect(new Set(followers.map(({ status }) => status))).toEqual(new Set([200]))

  const refused = await followEvents(server, { token })
  await refused.ended
  expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([429, 'OVERLOADED'])
  expect(refused.headers.get('retry-after')).toBe('5')
  const other = await followEvents(server)
  expect(other.status).toBe(200)
  other.cut()

  // A hundred streams do not count as active requests, of which there may be twenty.
  await Promise.all(Array.from({ length: 15 }, () => addMembership(server, {}, token)))
  await expect.poll(() => Math.min(...followers.map(({ events }) => events.length))).toBe(15)

  followers.pop()?.cut()
  await expect
    .poll(async () => {
      const next = await followEvents(server, { token })
      followers.push(next)
      return next.status
    })
    .toBe(200)
  for (const follower of followers) follower.cut()
})

test('SIGTERM ends streams without `complete`, so that clients connect again', async () => {
  const stopping = await startServer()
  const followers = await Promise.all([followEvents(stopping), followEvents(stopping)])
  await addMembership(stopping)
  await expect.poll(() => followers.map(({ events }) => events.length)).toEqual([1, 1])
  expect(await stopping.stop()).toBe(0)
  expect(await Promise.all(followers.map(({ ended }) => ended))).toEqual([false, false])
  expect(followers.flatMap(({ errors }) => errors)).toEqual([])
})
