import { createServer, type RequestListener, type Server } from 'node:http'
import type { Logger } from 'pino'
import type { Connections } from './connections.ts'
import { refuseUnspoken } from './refuse-unspoken.ts'

/** A request arrives within this time, its head as well as its body. */
export const arrivalTimeoutMs = 10_000

interface HttpServerOptions {
  readonly connections: Connections
  readonly maxHeadBytes: number
  readonly log: Logger
}

/** Node's HTTP server, which gives each connection its turns. */
export function createHttpServer(
  handle: RequestListener,
  { connections, maxHeadBytes, log }: HttpServerOptions,
): Server {
  const options = {
    headersTimeout: arrivalTimeoutMs,
    requestTimeout: arrivalTimeoutMs,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: maxHeadBytes,
    // Refused later, in the contract's shape.
    requireHostHeader: false,
  }
  const refuseConnect: RequestListener = (_request, response) => refuseUnspoken('connect', response, log)
  const refuseExpectation: RequestListener = (_request, response) =>
    refuseUnspoken('expectation', response, log)
  const server = createServer(options, (request, response) => {
    connections.pass(request, response, request.method === 'CONNECT' ? refuseConnect : handle)
  })
  server.on('checkExpectation', (request, response) => connections.pass(request, response, refuseExpectation))
  connections.watch(server)
  return server
}
