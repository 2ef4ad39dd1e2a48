import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { keepDoing } from '../../server/clients/keep-doing.ts'
import { readEventStream } from '../../server/clients/read-event-stream.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { processorMsOf } from './processor-time.ts'
import { residentBytesOf } from './resident-bytes.ts'

let server: TestServer
let attacker: string
let neighbour: string
const leaving: AbortController[] = []

beforeAll(async () => {
  server = await startServer()
  attacker = await server.token({ account: 'attacker', scopes: ['memberships:read', 'memberships:write'] })
  neighbour = await server.token({ account: 'neighbour', scopes: ['memberships:read'] })
})
afterEach(() => {
  for (const stream of leaving.splice(0)) stream.abort()
})
afterAll(() => server.stop())

interface Stream {
  readonly status: number
  readonly counted: { events: number; bytes: number }
}

async function follow(query: string): Promise<Stream> {
  const controller = new AbortController()
  leaving.push(controller)
  const { status, body } = await fetch(`${server.baseUrl}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${attacker}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query }),
    signal: controller.signal,
  })
  const counted = { events: 0, bytes: 0 }
  async function read(): Promise<void> {
    if (body === null) return
    for await (const { data } of readEventStream(body)) {
      counted.events += 1
      counted.bytes += data.length
    }
  }
  read().catch(() => {})
  return { status, counted }
}

async function addThousand(team: number): Promise<void> {
  const items = Array.from({ length: 1_000 }, (_, index) => ({ userId: index + 1, teamId: team }))
  const { body } = await server.graphql(
    'mutation ($items: [AddTeamMembershipInput!]!) { addTeamMemberships(items: $items) { applied } }',
    { items },
    attacker,
  )
  expect(body.errors).toBeUndefined()
}

/** The most that a subscription may ask for. */
const largest = Array.from({ length: 14 }, (_, index) => `${'x'.repeat(90)}${index}: txnID`).join(' ')

test.each([
  ['of one document', () => largest],
  ['each of a document of its own', (index: number) => `${largest} own${index}: kind`],
])(
  'a bulk of 1,000 reaches 100 streams %s in turns with the requests of others',
  {
    timeout: 60_000,
  },
  async (which, selectionOf) => {
    const streams: Stream[] = []
    for (let index = 0; index < 100; index += 1)
      streams.push(await follow(`subscription { teamMembershipChanged { ${selectionOf(index)} } }`))
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))

    let slowestMs = 0
    let peakBytes = 0
    const statuses = new Set<number>()
    const asking = keepDoing(async () => {
      const askedAt = performance.now()
      statuses.add((await server.graphql('{ viewer { accountCode } }', {}, neighbour)).status)
      slowestMs = Math.max(slowestMs, performance.now() - askedAt)
      peakBytes = Math.max(peakBytes, residentBytesOf(server.pid))
      await sleep(5)
    })
    const [startedAt, processorMs] = [performance.now(), processorMsOf(server.pid)]
    await addThousand(which.length)
    const heard = () => streams.map(({ counted }) => counted.events)
    await expect.poll(() => Math.min(...heard()), { timeout: 50_000, interval: 20 }).toBe(1_000)
    const tookMs = Math.round(performance.now() - startedAt)
    const usedMs = Math.round(processorMsOf(server.pid) - processorMs)
    await asking.stop()
    const bytes = streams.reduce((sum, { counted }) => sum + counted.bytes, 0)
    const peakMb = Math.round(peakBytes / 2 ** 20)
    console.log(
      `${which}: ${tookMs} ms, ${usedMs} ms of processor, ${bytes} bytes, ` +
        `peak ${peakMb} MB, neighbour at most ${Math.round(slowestMs)} ms`,
    )
    expect(Math.max(...heard())).toBe(1_000)
    expect([...statuses]).toEqual([200])
    expect(peakBytes).toBeLessThan(600 * 2 ** 20)
  },
)

test('a subscription that asks for more than 200 points an event is refused', async () => {
  const selection = Array.from({ length: 100 }, (_, index) => `a${index}: txnID`).join(' ')
  const headers = { accept: 'text/event-stream' }
  const query = `subscription { teamMembershipChanged { ${selection} } }`
  const { status, text } = await server.rest('POST', '/graphql', { body: { query }, headers })
  expect([status, text]).toEqual([200, expect.stringContaining('"bound":"eventCost"')])
})
