import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { usualPatience } from '../../server/processes/patience.ts'

// The defaults of the contract, but for the number of sandboxes, which follows the machine otherwise.
let server: TestServer
let flooder: string
let neighbour: string

beforeAll(async () => {
  server = await startServer({
    ROSTRUM_SANDBOXES: '2',
    ...usualPatience,
  })
  flooder = await server.token({ account: 'flooder', user: 1 })
  neighbour = await server.token({ account: 'neighbour', user: 1 })
})
afterAll(() => server.stop())

test('one account that floods gets its 429s, and another is served in its turn', async () => {
  const statuses: number[] = []
  const busy = 'const end = Date.now() + 100; while (Date.now() < end); exit(1)'
  const flood = Array.from({ length: 120 }, async () => {
    const started = performance.now()
    const answer = await server.execute(busy, { token: flooder })
    statuses.push(answer.status)
    return {
      status: answer.status,
      ms: performance.now() - started,
      retry: answer.headers.get('retry-after'),
    }
  })
  await new Promise(resolve => setTimeout(resolve, 100))
  const started = performance.now()
  const own = await server.execute('exit("served")', { token: neighbour })
  const ownMs = performance.now() - started
  const answers = await Promise.all(flood)

  expect([own.status, own.body.task_execution.payload]).toEqual([200, 'served'])
  expect(ownMs).toBeLessThan(2_500)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  const refused = answers.filter(answer => answer.status === 429)
  // 1 running and 64 waiting. The rest is refused, and so are those that wait longer than 2 s.
  expect(refused.length).toBeGreaterThanOrEqual(120 - 1 - 64 - 40)
  expect(refused.every(answer => Number(answer.retry) >= 1)).toBe(true)
  expect(answers.every(answer => answer.ms < 4_000)).toBe(true)
})

test('after the flood everybody is served', async () => {
  expect((await server.execute('exit(1)', { token: flooder })).status).toBe(200)
  expect((await server.execute('exit(1)', { token: neighbour })).status).toBe(200)
})
