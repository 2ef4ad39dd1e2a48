import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../server/processes/until.ts'
import { startApp, type TestApp } from '../edge/start-app.ts'

const bodyBytes = 2 ** 18

let app: TestApp
let held: Held[] = []

beforeAll(async () => {
  app = await startApp({ ROSTRUM_BODY_BYTES: String(bodyBytes) })
})

afterAll(async () => {
  for (const { socket } of held) socket.destroy()
  await app.close()
})

interface Held {
  readonly socket: Socket
  answer: string
}

/** A request whose body does not come to its end. */
function hold(framing: string, sent: string): Held {
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
  socket.write(`POST /graphql HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${sent}`)
  return request
}

const isRefused = ({ answer }: Held) => /^HTTP\/1.1 429 /m.test(answer)

const chunk = `${bodyBytes.toString(16)}\r\n${' '.repeat(bodyBytes)}\r\n`

test('an account holds 64 of the largest announced bodies, and others are not affected', async () => {
  const other = await app.issueToken('other')
  held = Array.from({ length: 68 }, () => hold(`Content-Length: ${bodyBytes}`, ''))
  await until(() => held.filter(isRefused).length >= 4)
  expect(held.find(isRefused)?.answer).toMatch(/^retry-after: 1\r$/im)
  const query = { method: 'POST', body: { query: '{ viewer { accountCode } }' } }
  expect((await app.send('/graphql', query)).status).toBe(429)
  expect((await app.send('/graphql', { ...query, token: other })).status).toBe(200)
  // The others come to their ends, so that each of the 68 has an answer.
  for (const request of held) if (!isRefused(request)) request.socket.write(' '.repeat(bodyBytes))
  await until(() => held.every(({ answer }) => answer !== ''))
  expect(Map.groupBy(held, isRefused).get(true)).toHaveLength(4)
  for (const { socket } of held) socket.destroy()
  await expect.poll(async () => (await app.send('/graphql', query)).status).toBe(200)
})

test('40 long bodies that come at once all arrive, and keep no short one waiting', async () => {
  held = Array.from({ length: 40 }, () => hold('Transfer-Encoding: chunked', chunk))
  const query = { method: 'POST', body: { query: '{ viewer { accountCode } }' } }
  expect((await app.send('/graphql', query)).status).toBe(200)
  for (const { socket } of held) socket.write('0\r\n\r\n')
  await until(() => held.every(({ answer }) => answer !== ''))
  expect(held.map(({ answer }) => answer.slice(0, 12))).toEqual(Array(40).fill('HTTP/1.1 400'))
})

test('chunked bodies that have hardly begun keep nobody from sending', async () => {
  const framing = 'Transfer-Encoding: chunked\r\nExpect: 100-continue'
  held = Array.from({ length: 100 }, () => hold(framing, '1\r\n{\r\n'))
  await until(() => held.every(({ answer }) => answer.startsWith('HTTP/1.1 100 ')))
  const query = { method: 'POST', body: { query: '{ viewer { accountCode } }' } }
  expect((await app.send('/graphql', query)).status).toBe(200)
  for (const { socket } of held) socket.write('0\r\n\r\n')
  await until(() => held.every(({ answer }) => /^HTTP\/1.1 [^1]/m.test(answer)))
  expect(held.filter(({ answer }) => !/^HTTP\/1.1 400 /m.test(answer))).toEqual([])
  for (const { socket } of held) socket.destroy()
})

test('a body in a thousand chunks of a byte is refused, and its connection closed', async () => {
  const request = hold('Transfer-Encoding: chunked', '1\r\n \r\n'.repeat(1_100))
  held = [request]
  await expect.poll(() => request.socket.destroyed).toBe(true)
  expect(request.answer).toMatch(/^HTTP\/1.1 400 /)
  expect(request.answer).toContain('send larger ones')
})
