import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from './send-raw.ts'
import { startApp, type TestApp } from './start-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

test.concurrent('headers and bodies that never end are given up after 10 s', {
  timeout: 20_000,
}, async () => {
  const drip = (head: string) => ({
    url: app.url,
    writes: [head, ...Array.from({ length: 30 }, () => 'x')],
    pauseMs: 500,
    timeoutMs: 15_000,
  })
  const body =
    `POST /platform/team_memberships HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.adminToken}\r\n` +
    `Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`
  const exchanges = await Promise.all([
    sendRaw(drip('GET /health HTTP/1.1\r\nHost: x\r\nX: ')),
    sendRaw(drip(body)),
  ])
  for (const { text, closedAfterMs } of exchanges) {
    expect(closedAfterMs).toBeGreaterThan(9_000)
    expect(closedAfterMs).toBeLessThan(14_000)
    expect(text).toMatch(/^HTTP\/1.1 408 /)
  }
})

test.concurrent('a body that is late has one answer, and one log line with its id', async () => {
  const head = (token: string) =>
    `PUT /platform/teams/9 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
  const [late, refused] = await Promise.all(
    [app.adminToken, 'unknown'].map(token => sendRaw({ url: app.url, writes: [head(token)] })),
  )
  const answersOf = (text = '') => text.match(/^HTTP\/1.1 \d+/gm)
  expect([answersOf(late?.text), answersOf(refused?.text)]).toEqual([['HTTP/1.1 408'], ['HTTP/1.1 401']])
  const id = /^x-request-id: (\S+)/im.exec(late?.text ?? '')?.[1] ?? 'none'
  const lines = app.logLines.filter(line => line.includes(id)).map(line => JSON.parse(line))
  expect(lines).toMatchObject([{ account: 'demo', operation: 'PUT /platform/teams/:id', status: 408 }])
})

/** Sends these bytes, then more each 200 ms, and reads no answer until it has sent for `sendMs`. */
async function sendOn(head: string, sendMs: number) {
  const { hostname, port } = new URL(app.url)
  const startedAt = performance.now()
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  let failure: string | undefined
  let closedAfterMs: number | null = null
  socket.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code
  })
  socket.on('close', () => {
    closedAfterMs = performance.now() - startedAt
  })
  socket.write(head)
  while (socket.writable && performance.now() < startedAt + sendMs) {
    socket.write('x'.repeat(1_000))
    await sleep(200)
  }
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  socket.end()
  if (closedAfterMs === null) await once(socket, 'close')
  return { failure, closedAfterMs, text }
}

const authorization = () => `Authorization: Bearer ${app.adminToken}`
const post = (...headers: string[]) => `POST /graphql HTTP/1.1\r\nHost: x\r\n${headers.join('\r\n')}\r\n\r\n`
const refused: Readonly<Record<string, { readonly status: number; head(): string }>> = {
  'without a credential': {
    status: 401,
    head: () => post('Connection: close', 'Content-Length: 100000000'),
  },
  'for the length of its body': {
    status: 413,
    head: () =>
      post(
        'Connection: close',
        authorization(),
        'Content-Type: application/json',
        'Content-Length: 100000000',
      ),
  },
  'because it is no HTTP': { status: 400, head: () => post('Content-Length: many') },
}

test.concurrent.each(Object.entries(refused))(
  'a client refused %s that sends on for 4 s reads why',
  async (_, given) => {
    const { failure, text } = await sendOn(given.head(), 4_000)
    expect(failure).toBeUndefined()
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${given.status} [^]*("errors"|"detail")`))
  },
)

test.concurrent.each(Object.entries(refused))(
  'a client refused %s that never ends is cut off',
  async (_, given) => {
    const { failure, closedAfterMs } = await sendOn(given.head(), 30_000)
    expect(failure).toMatch(/^(EPIPE|ECONNRESET)$/)
    expect(closedAfterMs).toBeGreaterThan(9_000)
    expect(closedAfterMs).toBeLessThan(15_000)
  },
)
