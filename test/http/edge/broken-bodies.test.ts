import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createClientErrorHandler } from '../../../src/http/edge/answer-client-error.ts'
import { Connections } from '../../../src/http/edge/connections.ts'
import { createHttpServer } from '../../../src/http/edge/create-http-server.ts'
import { sendRaw } from './send-raw.ts'

test('a body that breaks before its reader comes does no harm if the reader gives up at once', async () => {
  const connections = new Connections({ arrivalTimeoutMs: 10_000 })
  const server = createHttpServer(
    async (request, response) => {
      await sleep(50)
      const ignore = () => undefined
      request.on('error', ignore).off('error', ignore)
      response.writeHead(429).end('full')
    },
    { connections, maxHeadBytes: 2 ** 14 },
  )
  server.on(
    'clientError',
    createClientErrorHandler(pino({ enabled: false }), connections, () => {}),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const uncaught: unknown[] = []
  const note = (error: unknown) => void uncaught.push(error)
  process.on('uncaughtException', note)
  const { port } = server.address() as AddressInfo
  const bytes = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'
  const { text } = await sendRaw({ url: `http://127.0.0.1:${port}`, writes: [bytes] })
  process.off('uncaughtException', note)
  server.close()
  expect(text).toMatch(/^HTTP\/1.1 429 .*full/s)
  expect(uncaught).toEqual([])
})
