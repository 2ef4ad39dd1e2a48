import { createServer, type Server } from 'node:http'
import type { Logger } from 'pino'
import { cannotListen, type Listening } from '../../errors.ts'
import { metricsType } from '../../metrics/metrics.ts'

interface ServeMetrics extends Omit<Listening, 'setting'> {
  readonly log: Pick<Logger, 'error'>
}

/** Serves the metrics on a port of their own, without a credential. Resolves when it listens. */
export async function serveMetrics(
  print: () => Promise<string>,
  { host, port, log }: ServeMetrics,
): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume()
    const [path] = (request.url ?? '').split('?')
    const isAsked = path === '/metrics' && (request.method === 'GET' || request.method === 'HEAD')
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
  server.maxConnections = 64
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  }).catch((error: unknown) => {
    throw cannotListen(error, { host, port, setting: 'ROSTRUM_METRICS_PORT' })
  })
  return server
}
