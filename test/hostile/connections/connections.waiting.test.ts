// Many connections, and connections that misbehave: other clients are answered meanwhile, and what was held is given
// back.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchangeBytes } from '../wire/wire-exchange.ts'
import { startWireStage, type WireStage } from '../wire/wire-stage.ts'
import { type HeldConnection, holdMany } from './held-connections.ts'

const mebibyte = 2 ** 20

// Other tests run beside these.
const answeredWithinMs = 5_000

let stage: WireStage
// Of the test that measures what idle connections take, while others hold answers of `stage`.
let idleStage: WireStage

beforeAll(async () => {
  ;[stage, idleStage] = await Promise.all([startWireStage(), startWireStage()])
})
afterAll(() => Promise.all([stage.stop(), idleStage.stop()]))

const get = (path: string, more = '') =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage.tokens.A}\r\n${more}\r\n`)

async function slowestOf(requests: number, asked = stage): Promise<number> {
  let slowest = 0
  for (let sent = 0; sent < requests; sent++) slowest = Math.max(slowest, await asked.askNormally())
  return slowest
}

test('1,000 pipelined requests are all answered, in order', async () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => 1_000_000 + index)
  const last = get('/nowhere', 'Connection: close\r\n')
  const writes = [Buffer.concat([...ids.map(id => get(`/platform/team_memberships/${id}`)), last])]
  const [{ answers, rest }, slowest] = await Promise.all([
    exchangeBytes({ url: stage.server.baseUrl, writes, maxMs: 25_000 }),
    slowestOf(10),
  ])
  const named = answers.map(({ text }) => Number(/`(\d+)`/.exec(text)?.[1]))
  expect(named.slice(0, -1)).toEqual(ids)
  expect(answers.at(-1)?.text).toContain('There is nothing at this path.')
  expect(rest).toBe('')
  expect(slowest).toBeLessThan(answeredWithinMs)
})

test('a connection that breaks within a thousand pipelined requests costs nobody else an answer', async () => {
  const writes = [Buffer.concat(Array.from({ length: 1_000 }, () => get('/platform/team_memberships/1')))]
  const broken = Array.from({ length: 20 }, (_, index) =>
    exchangeBytes({ url: stage.server.baseUrl, writes, abortAfterMs: index * 5, maxMs: 10_000 }),
  )
  expect(await slowestOf(20)).toBeLessThan(answeredWithinMs)
  await Promise.all(broken)
  expect((await stage.observe()).newPrototypeKeys).toEqual([])
})

test('readers of GraphiQL that never read lose their places to others after a second', async () => {
  const page = Buffer.from('GET /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n')
  const ask = () => exchangeBytes({ url: stage.server.baseUrl, writes: [page], answers: 1, maxMs: 20_000 })
  await ask()
  const held = await holdMany(stage, { count: 40, bytes: page, reads: false })
  try {
    // They would keep their places for 10 s and more.
    const askForStatus = async () => (await ask()).answers[0]?.status
    for (let asked = 0; asked < 3; asked++) {
      await expect.poll(askForStatus, { timeout: 5_000, interval: 200 }).toBe(200)
    }
  } finally {
    for (const { socket } of held) socket.destroy()
  }
})

// They mostly wait.
describe.concurrent('clients that take their time', () => {
  test('2,000 idle connections and 500 that drip their headers leave others their answers, and are closed', {
    timeout: 60_000,
  }, async () => {
    const before = await idleStage.observe()
    const idle = await holdMany(idleStage, { count: 2_000, bytes: null })
    const slow = await holdMany(idleStage, {
      count: 500,
      bytes: Buffer.from('POST /graphql HTTP/1.1\r\nHost: x\r\nX: '),
    })
    const drip = setInterval(() => {
      for (const { socket } of slow) if (socket.writable) socket.write('x')
    }, 1_000)
    try {
      expect(await slowestOf(50, idleStage)).toBeLessThan(answeredWithinMs)
      const after = await idleStage.observe()
      expect(after.residentBytes - before.residentBytes).toBeLessThan(128 * mebibyte)
      const isOpen = (held: HeldConnection) => !held.isClosed()
      for (let waited = 0; waited < 20_000 && [...idle, ...slow].some(isOpen); waited += 500) await sleep(500)
      expect([idle.filter(isOpen).length, slow.filter(isOpen).length]).toEqual([0, 0])
    } finally {
      clearInterval(drip)
      for (const { socket } of [...idle, ...slow]) socket.destroy()
    }
  })

  test('readers that never read hold no more than their answers, and only until they are given up', {
    timeout: 60_000,
  }, async () => {
    // GraphiQL's page: 9 MB for anyone who asks, in one copy for all.
    const page = Buffer.from('GET /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n')
    await exchangeBytes({ url: stage.server.baseUrl, writes: [page], answers: 1, maxMs: 20_000 })
    const before = await stage.observe()
    const query = '{"query":"{__schema{types{name fields{name args{name}}}}}"}'
    const post =
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage.tokens.A}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${query.length}\r\n\r\n${query}`
    const held = [
      ...(await holdMany(stage, { count: 30, bytes: page, reads: false })),
      ...(await holdMany(stage, { count: 50, bytes: Buffer.from(post.repeat(50)), reads: false })),
    ]
    try {
      await sleep(2_000)
      expect(await slowestOf(20)).toBeLessThan(answeredWithinMs)
      const after = await stage.observe()
      expect(after.residentBytes - before.residentBytes).toBeLessThan(256 * mebibyte)
      expect(held.some(({ isClosed }) => isClosed())).toBe(false)
      await sleep(21_000)
      // An unread socket does not learn that it was closed until it reads.
      for (const { socket } of held) socket.resume()
      const isOpen = () => held.slice(0, 30).some(({ isClosed }) => !isClosed())
      for (let waited = 0; isOpen() && waited < 20_000; waited += 100) await sleep(100)
      expect(isOpen()).toBe(false)
    } finally {
      for (const { socket } of held) socket.destroy()
    }
  })

  test('bodies that drip a byte a second, 200 at once, leave others their answers', async () => {
    const head =
      `POST /platform/team_memberships HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage.tokens.A}\r\n` +
      `Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`
    const rows = stage.readRows()
    const dripping = Array.from({ length: 200 }, () =>
      exchangeBytes({
        url: stage.server.baseUrl,
        writes: [Buffer.from(head)],
        thenByteEveryMs: 1_000,
        maxMs: 20_000,
      }),
    )
    expect(await slowestOf(50)).toBeLessThan(answeredWithinMs)
    for (const { answers, closedAfterMs } of await Promise.all(dripping)) {
      expect(answers.map(({ status }) => status)).toEqual([408])
      expect(closedAfterMs).toBeLessThan(15_000)
    }
    expect(stage.readRows()).toEqual(rows)
  })
})

test('3,000 connections that each send most of a large head take little memory, and others are answered', {
  timeout: 60_000,
}, async () => {
  const before = await stage.observe()
  const head = Buffer.from(`GET /health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(120_000)}`)
  const held = await holdMany(stage, { count: 3_000, bytes: head })
  try {
    // Their heads have 360 MB, of which 64 MiB may be held.
    const areClosed = () => held.filter(({ isClosed }) => isClosed()).length
    for (let waited = 0; waited < 20_000 && areClosed() < 2_000; waited += 100) await sleep(100)
    expect(areClosed()).toBeGreaterThan(2_000)
    expect(await slowestOf(20)).toBeLessThan(answeredWithinMs)
    const after = await stage.observe()
    expect(after.residentBytes - before.residentBytes).toBeLessThan(350 * mebibyte)
  } finally {
    for (const { socket } of held) socket.destroy()
  }
})
