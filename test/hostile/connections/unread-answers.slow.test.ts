import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { keepDoing } from '../../server/clients/keep-doing.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { usualPatience } from '../../server/processes/patience.ts'
import { residentBytesOf } from '../neighbours/resident-bytes.ts'

const maxResidentBytes = 600 * 2 ** 20

let server: TestServer
let attacker: string
let others: string[]
let neighbour: string
const sockets: Socket[] = []

beforeAll(async () => {
  // Answers of more than the system's own buffers take of a connection that nobody reads.
  server = await startServer({ ...usualPatience, ROSTRUM_TASK_RESULT_BYTES: String(16 * 2 ** 20) })
  const accounts = ['attacker', 'second', 'third', 'fourth', 'fifth', 'neighbour']
  const tokens = await Promise.all(accounts.map(account => server.token({ account })))
  ;[attacker = '', ...others] = tokens
  neighbour = others.pop() ?? ''
  const items = ids.map(userId => ({ userId, teamId: 1 }))
  for (const token of [attacker, ...others]) await server.graphql(fill, { items }, token)
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(() => server.stop())

const ids = Array.from({ length: 900 }, (_, index) => index + 1)
const fill = `mutation ($items: [AddTeamMembershipInput!]!) { addTeamMemberships(items: $items) { applied } }`
const fields = Array.from({ length: 99 }, (_, index) => `${'x'.repeat(47)}${index}: __typename`)
/** Its answer has 6 MB, and takes no sandbox. */
const largeRead = {
  query: `query ($ids: [ID!]!) { teamMemberships(ids: $ids) { ${fields.join(' ')} } }`,
  variables: { ids },
}
const runOf = (length: number) => ({
  query: `mutation { executeTask(input: { name: "a", inputDocument: "{}", options: "{}",
    sourceCode: "exit('x'.repeat(${length}))" }) { a: payload b: payload c: payload } }`,
})

function requestOf(body: unknown, token: string, headers: readonly string[] = []): string {
  const text = JSON.stringify(body)
  return [
    'POST /graphql HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...headers,
    '',
    text,
  ].join('\r\n')
}

function openConnection(): Socket {
  const { hostname, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  sockets.push(socket)
  return socket
}

/** Sends, and reads nothing. */
function sendUnread(text: string, connections: number): void {
  for (let count = 0; count < connections; count += 1) openConnection().pause().write(text)
}

/** Reads one byte a second. */
function sendDripping(text: string, connections: number): void {
  for (let count = 0; count < connections; count += 1) {
    const socket = openConnection().pause()
    socket.write(text)
    const timer = setInterval(() => socket.read(1), 1_000)
    socket.on('close', () => clearInterval(timer))
  }
}

interface Watched {
  readonly statuses: ReadonlySet<number>
  readonly peakBytes: number
  readonly slowestMs: number
}

async function watchNeighbour(during: () => Promise<unknown>): Promise<Watched> {
  let peakBytes = 0
  let slowestMs = 0
  const statuses = new Set<number>()
  const asking = keepDoing(async () => {
    const startedAt = performance.now()
    const { status } = await server.graphql('{ viewer { accountCode } }', {}, neighbour)
    slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    peakBytes = Math.max(peakBytes, residentBytesOf(server.pid))
    statuses.add(status)
    await sleep(10)
  })
  await during()
  await asking.stop()
  return { statuses, peakBytes, slowestMs }
}

const statusOf = async (token: string) =>
  (await server.graphql('{ viewer { accountCode } }', {}, token)).status

/**
 * Keeps an answer of 3 MB under a key of the account; gives the request that is given it again. A run may be refused
 * while the runs of the attack before it end.
 */
async function storeAnswer(token: string): Promise<string> {
  const body = runOf(1_000_000)
  let key = ''
  const lengthOfAnswer = async () => {
    key = crypto.randomUUID()
    const headers = { 'idempotency-key': key }
    return (await server.rest('POST', '/graphql', { token, headers, body })).text.length
  }
  await expect.poll(lengthOfAnswer, { interval: 500 }).toBeGreaterThan(3_000_000)
  return requestOf(body, token, [`Idempotency-Key: ${key}`])
}

interface Attack {
  readonly title: string
  /** The attacker's own next request is refused meanwhile. */
  readonly refusesOwn: boolean
  readonly begin: () => Promise<void> | void
}

const attacks: readonly Attack[] = [
  { title: 'of reads', refusesOwn: true, begin: () => sendUnread(requestOf(largeRead, attacker), 100) },
  {
    title: 'of reads, read a byte a second',
    refusesOwn: true,
    begin: () => sendDripping(requestOf(largeRead, attacker), 100),
  },
  {
    title: 'of runs',
    refusesOwn: true,
    begin: () => sendUnread(requestOf(runOf(5_000_000), attacker).repeat(3), 60),
  },
  {
    title: 'given again under a key',
    refusesOwn: false,
    begin: async () => sendUnread((await storeAnswer(attacker)).repeat(20), 100),
  },
  {
    title: 'of five accounts',
    refusesOwn: false,
    begin() {
      for (const token of [attacker, ...others]) sendUnread(requestOf(largeRead, token), 20)
    },
  },
]

test.each(attacks)(
  'answers that nobody reads, $title, are bounded and refuse only their own account',
  async ({ refusesOwn, begin }) => {
    await expect.poll(() => statusOf(attacker), { timeout: 60_000 }).toBe(200)
    const seen = new Set<number>()
    const { statuses, peakBytes, slowestMs } = await watchNeighbour(async () => {
      await begin()
      // The gateway's memory is at its peak within a second or two. A busy machine may answer the attack later.
      const isAwaited = () => refusesOwn && !seen.has(429)
      for (let waited = 0; waited < 2_000 || (waited < 10_000 && isAwaited()); waited += 200) {
        seen.add(await statusOf(attacker))
        await sleep(200)
      }
    })
    console.log(`peak ${Math.round(peakBytes / 2 ** 20)} MB, neighbour at most ${Math.round(slowestMs)} ms`)
    expect([...statuses]).toEqual([200])
    if (refusesOwn) expect([...seen]).toContain(429)
    expect(peakBytes).toBeLessThan(maxResidentBytes)
  },
)

test('an account whose answers are read again is served again at once', async () => {
  await expect.poll(() => statusOf(attacker), { timeout: 60_000 }).toBe(200)
  sendUnread(requestOf(largeRead, attacker), 20)
  await expect.poll(() => statusOf(attacker), { timeout: 60_000 }).toBe(429)
  for (const socket of sockets) socket.resume()
  await expect.poll(() => statusOf(attacker), { timeout: 10_000 }).toBe(200)
})
