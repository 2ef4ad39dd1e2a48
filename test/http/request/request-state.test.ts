import { once } from 'node:events'
import { request as send } from 'node:http'
import { fastify } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { beginRequest } from '../../../src/http/request/request-state.ts'
import { Counts } from '../../../src/metrics/counts.ts'
import { silentLog } from '../../scripts/run/start-tasks.ts'

test('a client that disconnects before its stream begins leaves no open stream in the metrics', async () => {
  const counts = new Counts([])
  const arrived = Promise.withResolvers<void>()
  const counted = Promise.withResolvers<number>()
  const server = fastify()
  onTestFinished(() => server.close())
  server.addHook('onRequest', async (request, reply) =>
    beginRequest(request, reply, {
      system: silentLog,
      writeRecord: () => {},
      counts,
      hasCutOff: () => false,
      tracing: null,
    }),
  )
  server.get('/', async ({ state }, { raw }) => {
    const closed = once(raw, 'close')
    arrived.resolve()
    await closed
    state.beginStream()
    counted.resolve(counts.streams)
  })
  const client = send(await server.listen({ port: 0 }))
  client.on('error', () => undefined)
  client.end()
  await arrived.promise
  client.destroy()
  expect(await counted.promise).toBe(0)
})
