// Requests sent before the answers to those in front of them, on one connection.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchangeBytes } from '../wire/wire-exchange.ts'
import { startWireStage, type WireStage } from '../wire/wire-stage.ts'
import { type HeldConnection, holdMany } from './held-connections.ts'

const mebibyte = 2 ** 20
const maxAnswersWithoutCredential = 32

let stage: WireStage

beforeAll(async () => {
  stage = await startWireStage()
})
afterAll(() => stage.stop())

const send = (text: string | Buffer, more: { maxMs?: number; answers?: number } = {}) =>
  exchangeBytes({
    url: stage.server.baseUrl,
    writes: [Buffer.from(text)],
    maxMs: 15_000,
    ...more,
  })

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
const bearer = () => `Authorization: Bearer ${stage.tokens.A}\r\n`
const post = (body: string, path = '/api/1/endpoint/execute', more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${bearer()}${more}Content-Type: application/json\r\n` +
  `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const run = (sourceCode: string) =>
  post(JSON.stringify({ name: 'a', sourceCode, inputDocument: '{}', options: '{}' }))
const slowRun = () => run('for (let i = 0; i < 60; i++) await graphql("{viewer{userId}}"); exit("slow")')

describe('without a credential', () => {
  test.each([
    ['/nowhere', 404],
    ['/%zz', 400],
    ['/platform/users/1', 401],
    ['/health', 200],
    ['/graphql', 401],
  ])(
    '2,000 pipelined `GET %s` get a few dozen answers, and the connection is closed',
    async (path, status) => {
      const { answers, rest, closedAfterMs } = await send(get(path).repeat(2_000))
      expect(answers.map(answer => answer.status)).toEqual(Array(maxAnswersWithoutCredential).fill(status))
      expect(answers.at(-1)?.headers.get('connection')).toBe('close')
      expect(answers.at(-2)?.headers.get('connection')).not.toBe('close')
      expect(rest).toBe('')
      expect(closedAfterMs).not.toBeNull()
    },
  )

  test('a connection that asks with a credential between its refusals is kept', async () => {
    const refused = get('/nowhere').repeat(maxAnswersWithoutCredential - 1)
    const good = get('/platform/users/1', bearer())
    const { answers } = await send((refused + good).repeat(3), { answers: 96 })
    expect(answers.map(answer => answer.status)).toEqual(
      Array(3)
        .fill([...Array(31).fill(404), 200])
        .flat(),
    )
  })

  test('400 connections that pipeline 1,500 requests for GraphiQL and read nothing hold next to nothing', {
    timeout: 60_000,
  }, async () => {
    // The page is made once.
    await send(get('/graphql', 'Accept: text/html\r\n'), { answers: 1 })
    const before = await stage.observe()
    const bytes = Buffer.from(get('/graphql', 'Accept: text/html\r\n').repeat(1_500))
    let held: HeldConnection[] = []
    try {
      held = await holdMany(stage, { count: 400, bytes, reads: false })
      await sleep(3_000)
      await stage.askNormally()
      const after = await stage.observe()
      expect(after.residentBytes - before.residentBytes).toBeLessThan(100 * mebibyte)
      expect(after.processorMs - before.processorMs).toBeLessThan(5_000)
    } finally {
      for (const { socket } of held) socket.destroy()
    }
  })
})

describe('answers keep their order, and none is lost', () => {
  test.each([
    ['CONNECT', 'CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n', 400],
    ['what is no HTTP', 'hello\r\n\r\n', 400],
    ['an expectation that cannot be met', get('/health', 'Expect: more\r\n'), 417],
    ['another protocol', get('/health', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'), 200],
    ['headers of 256 KiB', get('/health', `X: ${'x'.repeat(262_144)}\r\n`), 431],
    ['a refusal', get('/nowhere', 'Connection: close\r\n'), 404],
  ])('where %s comes after a request that is not answered yet', async (_what, last, status) => {
    const { answers, closedAfterMs } = await send(slowRun() + slowRun() + last)
    expect(answers.map(answer => answer.status)).toEqual([200, 200, status])
    expect(answers.slice(0, 2).map(({ text }) => /"payload":"(\w+)"/.exec(text)?.[1])).toEqual([
      'slow',
      'slow',
    ])
    expect(closedAfterMs).not.toBeNull()
  })

  test('requests after one for another protocol close the connection', async () => {
    const upgrade = get('/health', 'Connection: Upgrade\r\nUpgrade: h2c\r\n')
    const alone = await send(upgrade, { maxMs: 1_000 })
    expect(alone.answers.map(answer => answer.headers.get('connection'))).toEqual(['keep-alive'])
    const { answers, closedAfterMs } = await send(upgrade + get('/nowhere') + get('/nowhere'))
    expect(answers.map(answer => [answer.status, answer.headers.get('connection')])).toEqual([[200, 'close']])
    expect(closedAfterMs).not.toBeNull()
  })

  test('where bodies and heads break off anywhere between packets', async () => {
    const note = (n: number) => `${n}-${'x'.repeat((n * 997) % 5_000)}`
    const sent = Array.from({ length: 60 }, (_, n) => run(`exit(${JSON.stringify(note(n))})`)).join('')
    const bytes = Buffer.from(sent + get('/nowhere', 'Connection: close\r\n'))
    const cuts = Array.from({ length: 40 }, (_, n) =>
      Math.floor(((n * 7_919) % 1_000) * (bytes.length / 1_000)),
    )
    const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
    const writes = places.slice(1).map((end, n) => bytes.subarray(places[n], end))
    const { answers, rest } = await exchangeBytes({ url: stage.server.baseUrl, writes, maxMs: 25_000 })
    const payloads = answers.slice(0, -1).map(({ text }) => /"payload":"([^"]*)"/.exec(text)?.[1])
    expect(payloads).toEqual(Array.from({ length: 60 }, (_, n) => note(n)))
    expect([answers.at(-1)?.status, rest]).toEqual([404, ''])
  }, 30_000)
})

test('a neighbour who asks after 1,000 pipelined requests has its answer before them', async () => {
  const bytes = get('/platform/users/1', bearer()).repeat(1_000)
  let isOver = false
  const flood = send(bytes, { answers: 1_000, maxMs: 25_000 }).finally(() => {
    isOver = true
  })
  await sleep(20)
  for (let asked = 0; asked < 5; asked++) {
    await stage.askNormally()
    expect(isOver).toBe(false)
  }
  expect((await flood).answers).toHaveLength(1_000)
}, 30_000)

test('a known credential on a new connection does not wait for callers without one', async () => {
  await send(get('/platform/users/1', bearer()), { answers: 1 })
  let answered = 0
  const flood = Array.from({ length: 200 }, async () => {
    const { answers } = await send(get('/nowhere').repeat(1_000))
    answered += answers.length
  })
  await sleep(20)
  const { answers } = await send(get('/platform/users/1', bearer()), { answers: 1 })
  expect(answers[0]?.status).toBe(200)
  expect(answered).toBeLessThan(200 * maxAnswersWithoutCredential)
  await Promise.all(flood)
  expect(answered).toBe(200 * maxAnswersWithoutCredential)
}, 30_000)
