import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RostrumError } from '../errors.ts'
import { answerError } from './answer-error.ts'
import { createAuthenticationHook, refuseEncodedBody, refuseEndedRun } from './authenticate-request.ts'
import type { Gateway } from './gateway.ts'
import { createGraphiqlHook } from './graphiql-page.ts'
import { negotiateAccept } from './negotiate-accept.ts'
import { graphqlPath } from './paths.ts'
import type { Registration } from './take-turn.ts'
import type { YogaLane } from './yoga-lane.ts'

// Yoga sets these for streams, whatever the client has asked for. Node knows the connection better.
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/** `GET` and `POST /graphql` (contract, section 3); GraphiQL comes before the credential is asked for. */
export async function registerGraphqlRoute(
  server: FastifyInstance,
  { gateway, takeTurn }: Registration,
): Promise<void> {
  let yogaLane: Promise<YogaLane> | null = null
  await server.register(async scope => {
    scope.addHook('onRequest', createGraphiqlHook())
    scope.addHook('onRequest', createAuthenticationHook(gateway.authenticate))
    scope.addHook('onRequest', refuseEncodedBody)
    scope.addHook('onRequest', takeTurn)
    scope.addHook('preHandler', refuseEndedRun)
    scope.route({
      method: ['GET', 'POST'],
      url: graphqlPath,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const { method, url, raw } = request
        const accept = negotiateAccept(raw)
        if (accept === null) return answerError({ request, reply, status: 406, error: unacceptable() })
        // The credential stays here.
        const headers = { accept, 'content-type': raw.headers['content-type'] ?? '' }
        yogaLane ??= loadYogaLane(gateway)
        const yoga = await yogaLane
        const fetchRequest = new yoga.fetchAPI.Request(`http://localhost${url}`, { method, headers })
        const response = await yoga.fetch(fetchRequest, { fastifyRequest: request })
        return sendResponse({ request, reply, response })
      },
    })
  })
}

// Some 500 modules and 8 MB: the first request pays for them, not the start.
async function loadYogaLane(gateway: Gateway): Promise<YogaLane> {
  const { createYogaLane } = await import('./yoga-lane.ts')
  return createYogaLane(gateway)
}

interface Sending {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly response: Response
}

async function sendResponse({ request, reply, response }: Sending): Promise<FastifyReply> {
  const { status, headers, body } = response
  if (body === null && status >= 400) return answerError({ request, reply, status, error: refusalOf(status) })
  reply.code(status)
  for (const [name, value] of headers) {
    if (!ofConnection.has(name.toLowerCase())) reply.header(name, value)
  }
  // JSON is there already; what else there is comes in pieces (SSE).
  if (/json/.test(headers.get('content-type') ?? '')) return reply.send(await response.text())
  return reply.send(body === null ? undefined : Readable.from(body))
}

function unacceptable(): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    '`Accept` must allow `application/graphql-response+json` or `application/json`.',
  )
}

// Yoga answers some faults of a request without a body.
function refusalOf(status: number): RostrumError {
  if (status === 415) return new RostrumError('UNSUPPORTED_MEDIA_TYPE', 'Send `application/json`.')
  return new RostrumError('BAD_USER_INPUT', 'This is not a request of GraphQL over HTTP.')
}
