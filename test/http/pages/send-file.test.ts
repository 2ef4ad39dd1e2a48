import { gzipSync } from 'node:zlib'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createSender } from '../../../src/http/pages/send-file.ts'
import { beginRequest } from '../../../src/http/request/request-state.ts'
import { Counts } from '../../../src/metrics/counts.ts'
import { silentLog } from '../../scripts/run/start-tasks.ts'

/** Sends requests for a large file at once. Nobody reads the answers. */
async function askAtOnce(requests: number, encoding: string) {
  const server = fastify({ forceCloseConnections: true })
  onTestFinished(() => server.close())
  const logs = {
    system: silentLog,
    writeRecord: () => undefined,
    counts: new Counts([]),
    hasCutOff: () => false,
    tracing: null,
  }
  server.addHook('onRequest', async (request, reply) => beginRequest(request, reply, logs))
  const sent: unknown[] = []
  const turns: unknown[][] = []
  let turn: unknown[] | null = null
  server.addHook('onSend', async (_request, _reply, payload) => {
    sent.push(payload)
    if (turn === null) {
      turn = []
      turns.push(turn)
      setImmediate(() => {
        turn = null
      })
    }
    turn.push(payload)
  })
  const send = createSender()
  // More than the system takes of an answer that nobody reads.
  const file = { type: 'text/plain', gzipped: gzipSync(Buffer.alloc(32 * 2 ** 20), { level: 0 }) }
  server.get('/', (request, reply) =>
    send(request, reply.header('cache-control', 'public, immutable'), { file, policy: null }),
  )
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const clients = new AbortController()
  onTestFinished(() => clients.abort())
  const headers = { 'accept-encoding': encoding }
  const ask = () => fetch(url, { headers, signal: clients.signal })
  return { answers: await Promise.all(Array.from({ length: requests }, ask)), sent, turns }
}

test('a large file past the 32 that are being sent is refused with their number, which nobody stores', async () => {
  // On a clock that stands still, no answer has been sent for so long that it can be cut.
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { answers } = await askAtOnce(33, 'gzip')
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(1)
  expect(refused[0]?.headers.get('cache-control')).toBe('no-store')
  expect(await refused[0]?.text()).toContain('32 files of pages are being sent, the maximum.')
})

test('clients that take no gzip share one decompressed copy of a file', async () => {
  const { answers, sent } = await askAtOnce(4, 'identity')
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(sent).toHaveLength(4)
  expect(sent.every(copy => Buffer.isBuffer(copy) && copy === sent[0])).toBe(true)
})

test.each(['gzip', 'identity'])('each turn of the event loop sends one large file (%s)', async encoding => {
  const { turns } = await askAtOnce(8, encoding)
  expect(turns.map(({ length }) => length)).toEqual(Array(8).fill(1))
})

test('a file is decompressed once, even if its clients disconnect before that has ended', async () => {
  const send = createSender()
  const file = { type: 'text/plain', gzipped: gzipSync(Buffer.alloc(2 ** 20)) }
  const sent: unknown[] = []
  const reply = {
    type: () => reply,
    headers: () => reply,
    send: (payload: unknown) => void sent.push(payload),
  }
  const answers = [1, 2, 3].map(() => {
    const endings: (() => void)[] = []
    const state = { atEnd: (ending: () => void) => void endings.push(ending) }
    const request = { raw: { headers: {} }, state } as unknown as FastifyRequest
    const answer = send(request, reply as unknown as FastifyReply, { file, policy: null })
    for (const end of endings) end()
    return answer
  })
  await Promise.all(answers)
  expect(sent).toHaveLength(3)
  expect(sent.every(copy => Buffer.isBuffer(copy) && copy === sent[0])).toBe(true)
})
