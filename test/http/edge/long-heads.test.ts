import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from './send-raw.ts'
import { startApp, type TestApp } from './start-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const send = async (bytes: string) => (await sendRaw({ url: app.url, writes: [bytes] })).text
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const long = get(`/health?${'a'.repeat(40_000)}`)

test('a connection is closed after the answer to a long head, which the parser would keep', async () => {
  const answer = await send(long)
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  expect(answer).toMatch(/^connection: close\r$/im)
})

test('a long head that is pipelined is not held: the one in front is answered, and the connection closed', async () => {
  const answer = await send(get('/ready') + long + get('/health'))
  expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1)
})

test('a refusal of a body in chunks that has not ended closes the connection', async () => {
  const head =
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  const answer = await send(`${head}${'1\r\n \r\n'.repeat(2_000)}`)
  expect(answer).toMatch(/^HTTP\/1.1 401 /)
  expect(answer).toMatch(/^connection: close\r$/im)
})

test('a body in many small chunks is read whole, and the request after it answered', async () => {
  const text = JSON.stringify({ query: '{ viewer { accountCode } }' })
  const chunks = [...text].map(character => `1\r\n${character}\r\n`).join('')
  const head = [
    'POST /graphql HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Authorization: Bearer ${app.adminToken}`,
    'Transfer-Encoding: chunked',
  ].join('\r\n')
  const padded = `${'800\r\n'}${' '.repeat(2_048)}\r\n`.repeat(6)
  const last = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const answer = await send(`${head}\r\n\r\n${padded}${chunks}0\r\n\r\n${last}`)
  expect(answer.match(/HTTP\/1.1 200 /g)).toHaveLength(2)
  expect(answer).toContain('"accountCode":"demo"')
})
