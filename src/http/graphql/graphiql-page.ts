import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import Negotiator from 'negotiator'
import { overloaded } from '../../errors.ts'
import { loadOnce } from '../../load-once.ts'
import { answerError } from '../errors/answer-error.ts'
import { writeContentPolicy } from '../pages/content-policy.ts'
import { PagePlaces } from '../pages/page-places.ts'
import { pageHeaders } from '../pages/send-file.ts'
import { boundPreferences, takesGzip } from '../request/negotiate-accept.ts'
import type { GraphiqlPage } from './render-graphiql-page.ts'

// Keeps the page, and any script in an answer, from contacting other hosts. The page itself needs none.
const contentSecurityPolicy = writeContentPolicy(
  "script-src 'unsafe-inline' 'unsafe-eval' blob:",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  'worker-src blob:',
  "connect-src 'self'",
)

// Maximum number of pages sent at once. Each takes some megabytes of kernel memory, and anyone can ask for one.
const maxPagesAtOnce = 32

/**
 * Creates a hook that answers a browser's GET with GraphiQL, everything inlined. The page needs no credential because
 * it shows no data; it sends the token of the browser tab. It is rendered and compressed at the first request.
 */
export function createGraphiqlHook() {
  const loadPage = loadOnce(renderPage)
  const places = new PagePlaces(maxPagesAtOnce)
  // The kernel copies megabytes of a page at once, so pages are sent one in each turn of the event loop.
  let lastSent: Promise<void> = Promise.resolve()
  async function answerPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.state.operation = 'graphiql'
    const leave = places.take(() => request.raw.destroy())
    if (leave === null) {
      const error = overloaded(`GraphiQL is being sent ${maxPagesAtOnce} times, the maximum`, 1)
      return answerError({ request, reply: reply.header('connection', 'close'), error })
    }
    request.state.atEnd(leave)
    const { plain, gzipped } = await loadPage()
    lastSent = lastSent.then(() => nextTurn())
    await lastSent
    const isGzipped = takesGzip(request.raw)
    reply.type('text/html; charset=utf-8').headers({
      'cache-control': 'no-cache',
      ...pageHeaders(contentSecurityPolicy),
      vary: 'accept, accept-encoding',
    })
    if (isGzipped) reply.header('content-encoding', 'gzip')
    return reply.send(isGzipped ? gzipped : plain)
  }

  return (request: FastifyRequest, reply: FastifyReply, done: HookDone): void => {
    if (request.method !== 'GET' || !prefersPage(request)) return done()
    answerPage(request, reply).catch(done)
  }
}

// True if the client prefers HTML. JSON is listed first, so it wins if a client accepts both equally (`*/*`).
function prefersPage(request: FastifyRequest): boolean {
  const offered = ['application/json', 'application/graphql-response+json', 'text/html']
  return new Negotiator(boundPreferences(request.headers)).mediaType(offered) === 'text/html'
}

interface Page {
  readonly plain: Buffer
  readonly gzipped: Buffer
}

// Renders the page in a thread. Loading nine megabytes of JavaScript here would block the event loop for 100 ms and
// stay in memory.
async function renderPage(): Promise<Page> {
  const worker = new Worker(new URL('./render-graphiql-page.ts', import.meta.url))
  const [{ plain, gzipped }] = (await once(worker, 'message')) as [GraphiqlPage]
  return { plain: Buffer.from(plain.buffer), gzipped: Buffer.from(gzipped.buffer) }
}
