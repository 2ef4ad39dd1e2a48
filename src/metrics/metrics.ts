import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { StartError } from '../errors.ts'
import { loadOnce } from '../load-once.ts'
import type { Counts } from './counts.ts'
import type { Gauges } from './print-metrics.ts'

const countQueuedEveryMs = 10_000
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

interface Dependencies {
  readonly counts: Counts
  readonly store: 'sqlite' | 'postgres'
  readonly readScripts: () => Omit<Gauges, 'queuedRuns'>
  readonly countQueued: () => Promise<Gauges['queuedRuns']>
}

/** Returns a function that prints the metrics. Nothing of it is loaded before the first call. */
export function createMetrics({
  counts,
  store,
  readScripts,
  countQueued,
}: Dependencies): () => Promise<string> {
  const loadPrinter = loadOnce(async () => {
    const { createPrinter } = await import('./print-metrics.ts')
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    const { version } = JSON.parse(text) as { readonly version: string }
    return createPrinter(counts, { version, store })
  })
  let queued = { at: Number.NEGATIVE_INFINITY, runs: { waiting: 0, dead: 0 } as Gauges['queuedRuns'] }
  return async () => {
    const print = await loadPrinter()
    const now = performance.now()
    if (now - queued.at >= countQueuedEveryMs) queued = { at: now, runs: await countQueued() }
    return print({ ...readScripts(), queuedRuns: queued.runs })
  }
}

/** Serves the metrics on a port of their own, without a credential. Resolves when it listens. */
export async function serveMetrics(
  print: () => Promise<string>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume()
    const [path] = (request.url ?? '').split('?')
    const isAsked = path === '/metrics' && (request.method === 'GET' || request.method === 'HEAD')
    if (!isAsked)
      return response.writeHead(404, { 'content-type': 'text/plain' }).end('Ask for GET /metrics.\n')
    print().then(
      text => response.writeHead(200, { 'content-type': metricsType }).end(text),
      () => response.writeHead(503, { 'content-type': 'text/plain' }).end('The store cannot answer.\n'),
    )
  })
  server.maxConnections = 64
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(`Cannot serve metrics on HOST=${host} ROSTRUM_METRICS_PORT=${port}: ${reason}.`)
  })
  return server
}
