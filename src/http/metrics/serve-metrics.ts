import { createServer, type Server } from 'node:http'
import type { Logger } from 'pino'
import { cannotListen, type Listening } from '../../cannot-listen.ts'
import { metricsType } from '../../metrics/metrics.ts'
import { metricsPath } from '../paths.ts'

const maxConnections = 64
// Time after which a connection is closed that sends nothing, has not sent its whole request, or reads nothing of its
// answer: it would keep its place from others. An answer may wait 5 s for the store.
const stalledMs = 10_000
const clocks = { headersTimeout: stalledMs, requestTimeout: stalledMs, connectionsCheckingInterval: 1_000 }

interface ServeMetrics extends Omit<Listening, 'setting'> {
  readonly log: Pick<Logger, 'error'>
}

/** Serves the metrics on a port of their own, without a credential. Resolves when it listens. */
export async function serveMetrics(
  print: () => Promise<string>,
  { host, port, log }: ServeMetrics,
): Promise<Server> {
  const server = createServer(clocks, (request, response) => {
    request.resume()
    // Node would leave it to the client to close the connection after its one answer.
    response.shouldKeepAlive = false
    const [path] = (request.url ?? '').split('?')
    const isAsked = path === metricsPath && (request.method === 'GET' || request.method === 'HEAD')
    if (!isAsked)
      return response.writeHead(404, { 'content-type': 'text/plain' }).end('Ask for GET /metrics.\n')
    print().then(
      text => response.writeHead(200, { 'content-type': metricsType }).end(text),
      (err: unknown) => {
        log.error({ err }, 'the metrics could not be printed')
        response.writeHead(503, { 'content-type': 'text/plain' }).end('The metrics could not be printed.\n')
      },
    )
  })
  server.maxConnections = maxConnections
  // A connection may send thousands of requests before it reads an answer. Each would print the metrics and keep them
  // in memory.
  server.maxRequestsPerSocket = 1
  server.setTimeout(stalledMs)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  }).catch((error: unknown) => {
    throw cannotListen(error, { host, port, setting: 'ROSTRUM_METRICS_PORT' })
  })
  return server
}
