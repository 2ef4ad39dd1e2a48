import { createServer, type RequestListener, type Server } from 'node:http'
import type { Connections } from './connections.ts'

/** A request arrives within this time, its head as well as its body. */
export const arrivalTimeoutMs = 10_000

interface HttpServerOptions {
  readonly connections: Connections
  readonly maxHeadBytes: number
}

/** Node's HTTP server, which gives each connection its turns. */
export function createHttpServer(
  handle: RequestListener,
  { connections, maxHeadBytes }: HttpServerOptions,
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
  const pass: RequestListener = (request, response) => connections.pass(request, response, handle)
  const server = createServer(options, pass)
  // `refuseHead` answers it.
  server.on('checkExpectation', pass)
  connections.watch(server)
  return server
}
