import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { shuttingDown } from '../errors.ts'
import { ArrivalError } from './body/arriving-bodies.ts'
import { createBodyParser } from './body/create-body-parser.ts'
import { parseJsonBody } from './body/json-body.ts'
import { createClientErrorHandler } from './edge/answer-client-error.ts'
import { Connections } from './edge/connections.ts'
import { arrivalTimeoutMs, createHttpServer } from './edge/create-http-server.ts'
import { fitOpenFiles } from './edge/fit-open-files.ts'
import { maxHeadBytes, refuseHead } from './edge/refuse-head.ts'
import { createUnreadHooks, UnreadAnswers } from './edge/unread-answers.ts'
import { answerError } from './errors/answer-error.ts'
import { createUnknownRouteAnswer } from './errors/answer-unknown-route.ts'
import { registerGraphqlRoute } from './graphql/register-graphql-route.ts'
import { createIdempotencyHooks } from './idempotency/idempotency-hooks.ts'
import { registerMetricsRoute } from './metrics/register-metrics-route.ts'
import { registerDocs } from './pages/docs/register-docs.ts'
import { registerPages } from './pages/register-pages.ts'
import { isWebhookUrl, metricsPath } from './paths.ts'
import { countUnrouted } from './request/authenticate-request.ts'
import type { HttpServices } from './request/http-services.ts'
import { isForPerson } from './request/negotiate-accept.ts'
import { createRequestLog } from './request/request-log.ts'
import { beginRequest, type RequestState } from './request/request-state.ts'
import { createTurnHook } from './request/take-turn.ts'
import { registerRestRoutes } from './rest/register-rest-routes.ts'
import { fromServerFault } from './server-fault.ts'
import { deliveryRefused } from './webhook/check-delivery.ts'
import { registerWebhookRoute } from './webhook/register-webhook-route.ts'

const stalledReaderMs = 10_000
// Time after which a stream that sends nothing counts as stalled. A stream without events sends a comment
// line every 12 or 15 s.
const maxSilentMs = 20_000
// How long a stop waits for requests in flight.
const drainTimeoutMs = 10_000
const noQuery = Object.freeze({})

export type HttpServer = FastifyInstance

interface Failure {
  readonly error: unknown
  readonly status?: number
}

/** Creates the HTTP server with all its routes. It does not listen yet. */
export async function createServer(services: HttpServices): Promise<HttpServer> {
  const { log } = services
  const connections = new Connections({
    arrivalTimeoutMs,
    onConnection: () => services.turns.expectMore(),
    limits: fitOpenFiles(log, services.maxSandboxes),
  })
  let isClosing = false
  let hasCutOff = false
  function prepareEnd({ raw, state }: FastifyRequest, reply: FastifyReply): void {
    // Closes the connection if the client stops reading, because its answer stays in memory. Node checks twice and
    // counts progress in writing as activity, so this happens after two such times.
    raw.socket.setTimeout(state.isStream ? maxSilentMs : stalledReaderMs)
    const isLast = connections.countAnswer(raw, state.identity !== null)
    // Ends the connection with this answer. While the gateway closes, this keeps the stop from waiting for idle
    // connections.
    if (isClosing || isLast || state.isStream) reply.header('connection', 'close')
  }

  const { counts, tracing } = services
  const logs = {
    system: log,
    writeRecord: createRequestLog(log),
    counts,
    hasCutOff: () => hasCutOff,
    tracing,
  }
  const server: HttpServer = Fastify({
    logger: false,
    serverFactory: handle => createHttpServer(handle, { connections, maxHeadBytes }),
    // Only the size of the head limits a path parameter, so that the answer to a long id can name the id.
    trustProxy: services.trustedProxies.length === 0 ? false : [...services.trustedProxies],
    // Nothing reads Fastify's query: handlers parse what they need, with its errors, and a list may have 1,000 ids.
    routerOptions: { maxParamLength: maxHeadBytes, querystringParser: () => noQuery },
    // Keeps Fastify from loading Ajv and a compiler of serializers: half a megabyte of code that is never called.
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    return503OnClosing: false,
    rewriteUrl: request => {
      const target = normalizeTarget(request.url ?? '/')
      return request.method === 'GET' && isForPerson(request) ? escapeBroken(target) : target
    },
    clientErrorHandler: createClientErrorHandler(log, connections, status =>
      counts.countRequest('', null, status, 0),
    ),
    // Answers a URL that Fastify cannot decode. Fastify runs no hooks for it.
    frameworkErrors: (error, request, reply) => {
      beginRequest(request, reply, logs)
      const isDelivery = request.method === 'POST' && isWebhookUrl(request.url)
      const fault = isDelivery ? deliveryRefused(reply) : fromServerFault(error, request)
      const refusal = refuseHead(request, reply)
      const answer = (failure: Failure) => {
        prepareEnd(request, reply)
        answerError({ request, reply, ...failure })
      }
      if (isDelivery || refusal !== null) answer(refusal ?? { error: fault })
      else countFirst(request, reply, past => answer(past ?? { error: fault }))
    },
  })

  const answerUnknownRoute = createUnknownRouteAnswer(server)
  const { authenticate, countRate, printMetrics } = services
  /** Counts a request without a route, and then calls `answer`: with the error if the request is past its limit. */
  function countFirst(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: (past: Failure | null) => void,
  ): void {
    // With a port of their own, the metrics have no route here.
    const isFree = printMetrics === null && request.url.split('?', 1)[0] === metricsPath
    if (countRate === null || isFree) return answer(null)
    countUnrouted(request, reply, { authenticate, countRate }).then(
      () => answer(null),
      error => answer({ error }),
    )
  }
  function answerUnrouted(request: FastifyRequest, reply: FastifyReply): void {
    countFirst(request, reply, past =>
      past === null ? answerUnknownRoute(request, reply) : answerError({ request, reply, ...past }),
    )
  }
  server.decorateRequest('state', null as unknown as RequestState)
  server.addHook('preClose', async () => {
    isClosing = true
    // Closing the connections ends the requests that are left, and their runs.
    const timer = setTimeout(() => {
      hasCutOff = true
      server.server.closeAllConnections()
    }, drainTimeoutMs)
    timer.unref()
    server.server.once('close', () => clearTimeout(timer))
  })
  server.addHook('onRequest', (request, reply, done) => {
    beginRequest(request, reply, logs)
    if (isClosing) throw shuttingDown()
    const refusal = refuseHead(request, reply)
    if (refusal !== null) answerError({ request, reply, ...refusal })
    else if (request.is404) answerUnrouted(request, reply)
    else done()
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
    // Keeps the connection for the next request, though Fastify would close it. If it must close, `shouldKeepAlive` is
    // false and the header stays.
    if (reply.hasHeader('connection') && reply.raw.shouldKeepAlive) reply.removeHeader('connection')
    const arrival = error instanceof ArrivalError ? { status: error.status } : {}
    const fault = fromServerFault(error, request)
    return answerError({ request, reply, error: fault, ...arrival })
  })

  registerHealthRoutes(server, services)
  registerDocs(server)
  registerPages(server)
  const takeTurn = createTurnHook(services)
  const idempotency = createIdempotencyHooks(services)
  const unreadAnswers = new UnreadAnswers()
  const unread = createUnreadHooks(unreadAnswers)
  const trustSigned = ({ raw }: FastifyRequest, accountCode: string) =>
    void connections.trustOnce(raw, accountCode)
  const registration = { services, trustSigned, takeTurn, idempotency, unread, unreadAnswers }
  registerMetricsRoute(server, registration)
  await registerGraphqlRoute(server, registration)
  await registerRestRoutes(server, registration)
  await registerWebhookRoute(server, registration)
  return server
}

function refuseSchemas(): never {
  throw new Error('Routes must not have Fastify schemas: check input with zod and send bytes.')
}

// Escapes of characters that need none (RFC 3986, 2.3): the URL means the same with and without them.
const escapedUnreserved = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi

/**
 * Normalizes a request target: reduces a whole URL (RFC 9112, 3.2.2) to its path and query, removes a fragment, and
 * removes unnecessary escapes in the path.
 */
function normalizeTarget(target: string): string {
  if (target.startsWith('/') && !target.includes('%') && !target.includes('#')) return target
  const [local = ''] = target.replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, '').split('#', 1)
  const queryStart = local.indexOf('?')
  const path = queryStart === -1 ? local : local.slice(0, queryStart)
  // Fastify takes any first character for a slash, also the one of `*`.
  const rooted = path.startsWith('/') ? path : `/${path}`
  return rooted.replace(escapedUnreserved, decodeURIComponent) + local.slice(path.length)
}

// A person gets the page of a list that says that there is no such id. Fastify would answer 400 before any route.
function escapeBroken(target: string): string {
  try {
    decodeURI(target)
    return target
  } catch {
    return target.replaceAll('%', '%25')
  }
}

/**
 * Registers `/health`, 200 while the process lives, and `/ready`, 200 while it can serve (contract, section 5).
 * Neither needs a credential.
 */
function registerHealthRoutes(server: FastifyInstance, { findUnready }: HttpServices): void {
  server.get('/health', async () => ({ status: 'ok' }))
  server.get('/ready', async (_request, reply) => {
    const waitingFor = await findUnready()
    if (waitingFor.length === 0) return { status: 'ready' }
    return reply.code(503).send({ status: 'not ready', waiting_for: waitingFor })
  })
}
