import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepDoing } from '../../server/clients/keep-doing.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { usualPatience } from '../../server/processes/patience.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { forgetPeakMemory, peakBytesOf } from './peak-memory.ts'
import { startSteadyLoad } from './steady-load.ts'

// The neighbour's slowest request is printed beside that of a quiet time, and not asserted: it depends on the machine.
// The aim is 250 ms.
const maxPeakBytes = 600 * 2 ** 20

let server: TestServer
let attacker: string
let neighbour: string

beforeAll(async () => {
  server = await startServer({ ...usualPatience, DATABASE_URL: await createDatabase() })
  attacker = await server.token({ account: 'attacker', user: 1 })
  neighbour = await server.token({ account: 'neighbour', user: 1 })
  const items = Array.from({ length: 1_000 }, (_, teamId) => ({ userId: 1, teamId: teamId + 1 }))
  const document =
    'mutation($items: [AddTeamMembershipInput!]!) { addTeamMemberships(items: $items) { applied } }'
  expect((await server.graphql(document, { items }, attacker)).body.errors).toBeUndefined()
})
afterAll(async () => {
  await server.stop()
})

/**
 * Prints the slowest request of the neighbour while the attack lasts. None may be refused, and the gateway must stay
 * under `maxPeakBytes`.
 */
async function measure(name: string, attack: () => Promise<unknown>): Promise<void> {
  const stop = await startSteadyLoad(server, neighbour)
  forgetPeakMemory(server.pid)
  const before = performance.now()
  const seen = await attack()
  const seconds = ((performance.now() - before) / 1_000).toFixed(1)
  const { failures, latencies } = await stop()
  const all = [...latencies.read, ...latencies.write].toSorted((a, b) => a - b)
  const slowest = all.at(-1) ?? Number.POSITIVE_INFINITY
  const [median, last] = [all[all.length >> 1], slowest].map(ms => ms?.toFixed(0))
  console.log(
    `${name}, ${seconds} s: neighbour's ${all.length} reads and writes: median ${median} ms, slowest ${last} ms`,
    seen ?? '',
  )
  expect(failures).toEqual([])
  expect(peakBytesOf(server.pid)).toBeLessThan(maxPeakBytes)
}

test('the neighbour has a quiet time, for comparison', async () => {
  await measure('quiet', () => sleep(2_000))
})

const pages = Array.from(
  { length: 45 },
  (_, n) => `p${n}: memberships(first: ${1_000 - n}) { edges { cursor } }`,
)
const query = `{ user(id: 1) { ${pages.join(' ')} } }`

// Answers of megabytes: to parse them here would hold up the neighbour, too.
async function readPages(times: number): Promise<Record<string, number>> {
  const kinds = await Promise.all(
    Array.from({ length: times }, async () => {
      const answer = await fetch(`${server.baseUrl}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${attacker}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      return `${answer.status} ${['UNAVAILABLE', 'OVERLOADED'].find(code => bytes.includes(code)) ?? 'whole'}`
    }),
  )
  return Object.fromEntries([...Map.groupBy(kinds, kind => kind)].map(([kind, { length }]) => [kind, length]))
}

test.each([20, 80])('%i queries of 45 pages at once leave another account its connections', async times => {
  await measure(`${times} queries of 45 pages`, () => readPages(times))
})

test('50 connections that read a case of 1 MiB leave an account its turns', async () => {
  const data = { rows: Array.from({ length: 10_000 }, (_, row) => ({ row, text: 'x'.repeat(70) })) }
  const saved = await server.rest<{ case: { id: number } }>('POST', '/platform/cases', {
    token: attacker,
    body: { case: { case_type_code: 'large', data } },
  })
  const url = `${server.baseUrl}/platform/cases/${saved.body.case.id}`
  let count = 0
  await measure('50 connections that read a case of 1 MiB', async () => {
    const reads = keepDoing(async () => {
      // Not parsed here, as above.
      const answer = await fetch(url, { headers: { authorization: `Bearer ${attacker}` } })
      await answer.arrayBuffer()
      expect(answer.status).toBe(200)
      count += 1
    }, 50)
    await sleep(3_000)
    await reads.stop()
    return `${count} reads`
  })
})

test.each([
  [
    'a made-up token',
    () => 'GET /platform/team_memberships/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer made-up\r\n\r\n',
  ],
  [
    'new invalid tokens',
    (n: number) =>
      `GET /platform/team_memberships/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer made-up-${n}\r\n\r\n`,
  ],
  ['`GET /ready`', () => 'GET /ready HTTP/1.1\r\nHost: x\r\n\r\n'],
])('five connections that pipeline %s leave an account its calls', async (name, word) => {
  await measure(`five connections of ${name}`, () => pipeline(5, word, 3_000))
})

/**
 * Sends requests 100 at a time over each connection, reopened if the gateway closes it; gives how many were
 * answered.
 */
async function pipeline(connections: number, word: (n: number) => string, ms: number): Promise<object> {
  const { hostname, port } = new URL(server.baseUrl)
  const endAt = performance.now() + ms
  let sent = 0
  const statuses: Record<string, number> = {}
  const one = async () => {
    while (performance.now() < endAt) {
      const socket = connect(Number(port), hostname)
      const closed = new Promise<void>(resolve => socket.on('close', () => resolve()))
      socket.on('error', () => {})
      const send = () => {
        socket.write(Array.from({ length: 100 }, (_, index) => word(sent + index)).join(''))
        sent += 100
      }
      socket.on('data', data => {
        for (const [, status = ''] of data.toString('latin1').matchAll(/HTTP\/1\.1 (\d+)/g))
          statuses[status] = (statuses[status] ?? 0) + 1
        if (performance.now() > endAt) socket.destroy()
        else send()
      })
      send()
      const timer = setTimeout(() => socket.destroy(), endAt - performance.now())
      await closed
      clearTimeout(timer)
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  return statuses
}
