import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server/start-server.ts'
import { residentBytesOf } from './resident-bytes.ts'

const maxResidentBytes = 600 * 2 ** 20

let server: TestServer
let attacker: string
let others: string[]
let neighbour: string
const sockets: Socket[] = []

beforeAll(async () => {
  server = await startServer()
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
const fields = Array.from({ length: 99 }, (_, index) => `${'x'.repeat(22)}${index}: __typename`)
/** Its answer has 3.9 MB, and takes no sandbox. */
const largeRead = {
  query: `query ($ids: [ID!]!) { teamMemberships(ids: $ids) { ${fields.join(' ')} } }`,
  variables: { ids },
}
const payloads = Array.from({ length: 20 }, (_, index) => `a${index}: payload`).join(' ')
const largeRun = {
  query: `mutation { executeTask(input: { name: "a", inputDocument: "{}", options: "{}",
    sourceCode: "exit('x'.repeat(2000000))" }) { ${payloads} } }`,
}

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
  let isOver = false
  let peakBytes = 0
  let slowestMs = 0
  const statuses = new Set<number>()
  async function ask(): Promise<void> {
    while (!isOver) {
      const startedAt = performance.now()
      const { status } = await server.graphql('{ viewer { accountCode } }', {}, neighbour)
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      peakBytes = Math.max(peakBytes, residentBytesOf(server.pid))
      statuses.add(status)
      await sleep(10)
    }
  }
  const asking = ask()
  await during()
  isOver = true
  await asking
  return { statuses, peakBytes, slowestMs }
}

const statusOf = async (token: string) =>
  (await server.graphql('{ viewer { accountCode } }', {}, token)).status

/** Keeps an answer of 2 MB under a key of the account; gives the request that is given it again. */
async function keepAnswer(token: string): Promise<string> {
  const key = `Idempotency-Key: ${crypto.randomUUID()}`
  const query = largeRun.query.replaceAll(/a[1-9]\d*: payload/g, '')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ query })
  const [name = '', value = ''] = key.split(': ')
  const kept = await fetch(`${server.baseUrl}/graphql`, {
    method: 'POST',
    headers: { ...headers, [name]: value },
    body,
  })
  expect([kept.status, (await kept.text()).length]).toEqual([200, expect.closeTo(2_000_000, -3)])
  return requestOf({ query }, token, [key])
}

// The system's own buffers take the first 4 MB of a connection: what is behind it stays in the gateway.
const attacks: readonly (readonly [string, boolean, () => Promise<void> | void])[] = [
  ['of reads', true, () => sendUnread(requestOf(largeRead, attacker).repeat(10), 10)],
  ['of reads, read a byte a second', true, () => sendDripping(requestOf(largeRead, attacker).repeat(10), 10)],
  ['of runs', false, () => sendUnread(requestOf(largeRun, attacker).repeat(6), 10)],
  ['given again under a key', true, async () => sendUnread((await keepAnswer(attacker)).repeat(100), 20)],
  [
    'of five accounts',
    false,
    async () => {
      const requests = await Promise.all([attacker, ...others].map(keepAnswer))
      for (const request of requests) sendUnread(request.repeat(100), 5)
    },
  ],
]

test.each(
  attacks,
)('answers that nobody reads, %s, are bounded and refuse only their own account', async (_, refusesOwn, attack) => {
  await expect.poll(() => statusOf(attacker), { timeout: 10_000 }).toBe(200)
  const seen = new Set<number>()
  const { statuses, peakBytes, slowestMs } = await watchNeighbour(async () => {
    await attack()
    for (let waited = 0; waited < 4_000; waited += 200) {
      seen.add(await statusOf(attacker))
      await sleep(200)
    }
  })
  console.log(`peak ${Math.round(peakBytes / 2 ** 20)} MB, neighbour at most ${Math.round(slowestMs)} ms`)
  expect([...statuses]).toEqual([200])
  if (refusesOwn) expect([...seen]).toContain(429)
  expect(peakBytes).toBeLessThan(maxResidentBytes)
})

test('an account whose answers are read again is served again at once', async () => {
  await expect.poll(() => statusOf(attacker), { timeout: 10_000 }).toBe(200)
  sendUnread(requestOf(largeRead, attacker).repeat(10), 5)
  await expect.poll(() => statusOf(attacker), { timeout: 10_000 }).toBe(429)
  for (const socket of sockets) socket.resume()
  await expect.poll(() => statusOf(attacker), { timeout: 5_000 }).toBe(200)
})
