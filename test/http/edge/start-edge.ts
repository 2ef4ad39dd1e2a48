import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createClientErrorHandler } from '../../../src/http/edge/answer-client-error.ts'
import { Connections } from '../../../src/http/edge/connections.ts'
import { createHttpServer } from '../../../src/http/edge/create-http-server.ts'

/** Serves with the edge of the gateway alone until the test ends. Returns the port. */
export async function startEdge(
  handle: RequestListener,
  connections = new Connections({ arrivalTimeoutMs: 10_000 }),
): Promise<number> {
  const server = createHttpServer(handle, { connections, maxHeadBytes: 2 ** 14 })
  server.on(
    'clientError',
    createClientErrorHandler(pino({ enabled: false }), connections, () => {}),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
