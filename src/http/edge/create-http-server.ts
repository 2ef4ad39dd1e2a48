import type { RequestListener, Server } from 'node:http'
import type { Connections } from './connections.ts'
import { createServer } from './node-http.ts'

/** Time within which the head and the body of a request must arrive. */
export const arrivalTimeoutMs = 10_000

interface HttpServerOptions {
  readonly connections: Connections
  readonly maxHeadBytes: number
}

/** Creates Node's HTTP server, in which connections take turns. */
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
