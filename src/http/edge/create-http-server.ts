import type { RequestListener, Server } from 'node:http'
import type { Connections } from './connections.ts'
import { createServer } from './node-http.ts'

/** The time within which a request must arrive, head and body. */
export const arrivalTimeoutMs = 10_000

interface HttpServerOptions {
  readonly connections: Connections
  readonly maxHeadBytes: number
}

/** Node's HTTP server, with a turn for each connection. */
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
    // `refuseHead` refuses a missing host with a problem document.
    requireHostHeader: false,
  }
  const pass: RequestListener = (request, response) => connections.pass(request, response, handle)
  const server = createServer(options, pass)
  // `refuseHead` refuses an unknown expectation.
  server.on('checkExpectation', pass)
  connections.watch(server)
  return server
}
