import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from './start-app.ts'

let app: TestApp
let held: Held[] = []

beforeAll(async () => {
  app = await startApp({ ROSTRUM_BODY_BYTES: '4096' })
})

afterAll(async () => {
  for (const { socket } of held) socket.destroy()
  await app.close()
})

interface Held {
  readonly socket: Socket
  answer: string
}

/** A request whose body is announced and does not come. */
function hold(framing: string): Held {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  const request: Held = { socket, answer: '' }
  socket.setEncoding('utf8').on('data', text => {
    request.answer += text
  })
  socket.on('error', () => {})
  const lines = [
    'Host: x',
    `Authorization: Bearer ${app.adminToken}`,
    'Content-Type: application/json',
    framing,
  ]
  socket.write(`POST /graphql HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  return request
}

const isRefused = ({ answer }: Held) => /^HTTP\/1.1 429 /.test(answer)

async function settle(count: number): Promise<number> {
  for (let waited = 0; waited < 5_000 && held.filter(isRefused).length < count; waited += 50) await sleep(50)
  await sleep(100)
  return held.filter(isRefused).length
}

test.each([
  ['Content-Length: 4096', 'the largest bodies'],
  ['Transfer-Encoding: chunked', 'bodies of unknown size'],
])('with `%s` an account has 256 of %s in work, others as before, and places again when they are gone', async framing => {
  const other = await app.issueToken('other')
  held = Array.from({ length: 260 }, () => hold(framing))
  expect(await settle(4)).toBe(4)
  expect(held.find(isRefused)?.answer).toMatch(/^retry-after: 1\r$/im)
  const query = { method: 'POST', body: { query: '{ viewer { accountCode } }' } }
  expect((await app.send('/graphql', query)).status).toBe(429)
  expect((await app.send('/graphql', { ...query, token: other })).status).toBe(200)
  for (const { socket } of held) socket.destroy()
  await expect.poll(async () => (await app.send('/graphql', query)).status, { timeout: 5_000 }).toBe(200)
})
