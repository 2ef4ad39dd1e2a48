import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { RostrumError } from '../errors.ts'
import { createBodyParser } from './body/create-body-parser.ts'
import { parseJsonBody } from './body/json-body.ts'
import { createClientErrorHandler } from './edge/answer-client-error.ts'
import { Connections } from './edge/connections.ts'
import { arrivalTimeoutMs, createHttpServer } from './edge/create-http-server.ts'
import { maxHeadBytes, refuseHead } from './edge/refuse-head.ts'
import { createUnreadHooks, UnreadAnswers } from './edge/unread-answers.ts'
import { answerError } from './errors/answer-error.ts'
import { refuseUnknownRoute } from './errors/refuse-unknown-route.ts'
import { fromServerFault } from './errors/server-fault.ts'
import { registerGraphqlRoute } from './graphql/register-graphql-route.ts'
import { createIdempotencyHooks } from './idempotency/idempotency-hooks.ts'
import { registerPages } from './register-pages.ts'
import type { HttpServices } from './request/http-services.ts'
import { createRequestLog } from './request/request-log.ts'
import { beginRequest, type RequestState } from './request/request-state.ts'
import { createTurnHook } from './request/take-turn.ts'
import { registerRestRoutes } from './rest/register-rest-routes.ts'

const stalledReaderMs = 10_000
// A stream without news says every 12 s that it is there.
const mostSilentMs = 20_000

/** For those who start and stop it without knowing what it is made of. */
export type HttpServer = FastifyInstance

/** The HTTP server with all its routes, not yet listening. */
export async function createServer(services: HttpServices): Promise<HttpServer> {
  const { log, bodyBytes } = services
  const connections = new Connections({ arrivalTimeoutMs, onConnection: () => services.turns.expectMore() })
  let isClosing = false
  function prepareEnd({ raw, state }: FastifyRequest, reply: FastifyReply): void {
    // A client that stops reading would keep its answer in memory for ever. Node takes progress in the writing for activity,
    // and looks for it twice: it closes after two such times.
    raw.socket.setTimeout(state.isStream ? mostSilentMs : stalledReaderMs)
    const isLast = connections.countAnswer(raw, state.identity !== null)
    // What is in flight is answered, and its connection ends with the answer: else it would hold the stop up.
    if (isClosing || isLast || state.isStream) reply.header('connection', 'close')
  }

  const logs = { system: log, writeRecord: createRequestLog(log) }
  const server: HttpServer = Fastify({
    logger: false,
    bodyLimit: bodyBytes,
    serverFactory: handle => createHttpServer(handle, { connections, maxHeadBytes }),
    // Bounded by the head's size; a long id gets the answer that names it.
    routerOptions: { maxParamLength: maxHeadBytes },
    // Fastify's own are Ajv and a compiler of serializers: half a megabyte of code that would never be called.
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => normalizeTarget(url),
    clientErrorHandler: createClientErrorHandler(log, connections),
    // Faults of the URL come before any hook and have none; the request may be ambiguous as well.
    frameworkErrors: (error, request, reply) => {
      beginRequest(request, reply, logs)
      const refusal = refuseHead(request, reply) ?? { error: fromServerFault(error, bodyBytes) }
      prepareEnd(request, reply)
      answerError({ request, reply, ...refusal })
    },
  })

  server.decorateRequest('state', null as unknown as RequestState)
  server.addHook('preClose', async () => {
    isClosing = true
  })
  server.addHook('onRequest', (request, reply, done) => {
    beginRequest(request, reply, logs)
    if (isClosing) throw shuttingDown()
    const refusal = refuseHead(request, reply)
    if (refusal !== null) answerError({ request, reply, ...refusal })
    else if (refuseUnknownRoute(request, reply) === undefined) done()
  })
  server.addHook('preParsing', ({ raw, state }, _reply, _payload, done) => {
    if (state.identity !== null) connections.trust(raw, state.identity.caller.accountCode)
    done()
  })
  server.addHook('onSend', (request, reply, _payload, done) => {
    prepareEnd(request, reply)
    done()
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', createBodyParser(services, parseJsonBody))
  server.setErrorHandler((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    // Closing at once would reset the connection under a client that is still sending: let it read the answer. Only what
    // Fastify has set is taken back, since without a header Node would not tell a client that asked for it of the close.
    if (reply.hasHeader('connection') && reply.raw.shouldKeepAlive) reply.removeHeader('connection')
    return answerError({ request, reply, error: fromServerFault(error, bodyBytes) })
  })

  registerHealthRoutes(server, services)
  registerPages(server)
  const takeTurn = createTurnHook(services)
  const idempotency = createIdempotencyHooks(services)
  const unreadAnswers = new UnreadAnswers()
  const unread = createUnreadHooks(unreadAnswers)
  const registration = { services, takeTurn, idempotency, unread, unreadAnswers }
  await registerGraphqlRoute(server, registration)
  await registerRestRoutes(server, registration)
  return server
}

// A connection kept alive can bring requests after the server stopped listening: they are sent elsewhere.
function shuttingDown(): RostrumError {
  return new RostrumError('OVERLOADED', 'This gateway is shutting down; try again.', { retryAfterSeconds: 1 })
}

function refuseSchemas(): never {
  throw new Error('Routes have no Fastify schemas here: read what comes with zod, and send bytes.')
}

// RFC 3986, 2.3: whether these are escaped or not, it is the same URL.
const escapedUnreserved = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi

/**
 * A request target in the one spelling that everything behind it knows: a whole URL (RFC 9112, 3.2.2) is cut to its path and
 * query, a fragment is cut off, and what needs no escape in the path has none.
 */
function normalizeTarget(target: string): string {
  if (target.startsWith('/') && !target.includes('%') && !target.includes('#')) return target
  const [local = ''] = target.replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, '').split('#', 1)
  const queryStart = local.indexOf('?')
  const path = queryStart === -1 ? local : local.slice(0, queryStart)
  return (path.replace(escapedUnreserved, decodeURIComponent) || '/') + local.slice(path.length)
}

/** `/health` while the process lives, `/ready` while it can serve (contract, section 5); neither needs a credential. */
function registerHealthRoutes(server: FastifyInstance, { findUnready }: HttpServices): void {
  server.get('/health', async () => ({ status: 'ok' }))
  server.get('/ready', async (_request, reply) => {
    const waitingFor = await findUnready()
    if (waitingFor.length === 0) return { status: 'ready' }
    return reply.code(503).send({ status: 'not ready', waiting_for: waitingFor })
  })
}
