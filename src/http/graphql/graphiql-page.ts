import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import Negotiator from 'negotiator'
import { loadOnce } from '../../load-once.ts'
import type { BuiltFile } from '../pages/build-site.ts'
import { writeContentPolicy } from '../pages/content-policy.ts'
import { createSender } from '../pages/send-file.ts'
import { boundPreferences } from '../request/negotiate-accept.ts'

// Keeps the page, and any script in an answer, from contacting other hosts. The page itself needs none.
const policy = writeContentPolicy(
  "script-src 'unsafe-inline' 'unsafe-eval' blob:",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  'worker-src blob:',
  "connect-src 'self'",
)

/**
 * Creates a hook that answers a browser's GET with GraphiQL, everything inlined. The page needs no credential because
 * it shows no data; it sends the token of the browser tab. It is rendered and compressed at the first request.
 */
export function createGraphiqlHook() {
  const loadPage = loadOnce(renderPage)
  const send = createSender()
  async function answerPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.state.operation = 'graphiql'
    const file = await loadPage()
    return send(request, reply.header('cache-control', 'no-cache'), { file, policy, vary: ['accept'] })
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

// Renders the page in a thread. Loading nine megabytes of JavaScript here would block the event loop for 100 ms and
// stay in memory.
async function renderPage(): Promise<BuiltFile> {
  const worker = new Worker(new URL('./render-graphiql-page.ts', import.meta.url))
  const [page] = (await once(worker, 'message')) as [BuiltFile]
  return page
}
