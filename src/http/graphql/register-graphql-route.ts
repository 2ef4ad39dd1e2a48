import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RostrumError } from '../../errors.ts'
import type { Engine } from '../../graphql/engine.ts'
import { loadWhenQuiet } from '../../v8/when-quiet.ts'
import { createBodyParser } from '../body/create-body-parser.ts'
import { createDataParser } from '../body/json-body.ts'
import { answerError } from '../errors/answer-error.ts'
import { createDocumentWorkFinder, type Work } from '../idempotency/find-work.ts'
import { noStreamWithKey } from '../idempotency/idempotency-hooks.ts'
import { graphqlPath } from '../paths.ts'
import { addCallerHooks, type Registration } from '../registration.ts'
import { eventStream, negotiateAccept } from '../request/negotiate-accept.ts'
import { createYogaAnswers } from './answer-by-yoga.ts'
import { answerDirectly, readOrdinaryOperation } from './fast-path.ts'
import { createGraphiqlHook } from './graphiql-page.ts'
import { readGraphqlParams } from './read-graphql-params.ts'

/** Registers `GET` and `POST /graphql` (contract, section 3), and GraphiQL, which needs no credential. */
export async function registerGraphqlRoute(
  server: FastifyInstance,
  registration: Registration,
): Promise<void> {
  const { services, takeTurn, idempotency, unreadAnswers } = registration
  const yoga = createYogaAnswers(services, unreadAnswers)
  const findDocumentWork = createDocumentWorkFinder(services.engine.runFields)
  // Returns what the request does under an idempotency key; null if it changes nothing, or is refused for its `Accept`.
  function findWork({ method, body, raw }: FastifyRequest): Work | null {
    if (method !== 'POST') return null
    const { query, operationName } = (body ?? {}) as Readonly<Record<string, unknown>>
    const work = typeof query === 'string' ? findDocumentWork(query) : null
    if (typeof query !== 'string' || work === null) return null
    // The word `mutation` may be in a comment, a text or another operation.
    const asked = services.engine.findType({ query, operationName: readName(operationName) })
    if (asked !== null && asked !== 'mutation') return null
    const { type } = negotiateAccept(raw)
    if (type === eventStream) throw noStreamWithKey()
    return type === null ? null : work
  }

  server.addHook('onListen', async () => {
    const stopLoading = loadWhenQuiet(yoga.load)
    server.server.once('close', stopLoading)
  })
  await server.register(async routes => {
    routes.addHook('onRequest', createGraphiqlHook())
    addCallerHooks(routes, registration)
    routes.addHook('onRequest', takeTurn)
    routes.addHook('preHandler', idempotency.createBeginHook(findWork))
    routes.removeContentTypeParser('application/json')
    routes.addContentTypeParser('application/json', createBodyParser(services, createDataParser('variables')))
    routes.route({
      method: ['GET', 'POST'],
      url: graphqlPath,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const type = choosesStream(request, services.engine) ? eventStream : negotiateAccept(request.raw).type
        if (type === null) return answerError({ request, reply, status: 406, error: unacceptable() })
        const isDirect = services.hasFastPath && type !== eventStream
        const operation = isDirect ? readOrdinaryOperation(request) : null
        if (operation === null) return yoga.answer({ request, reply, type })
        return answerDirectly({ request, reply, services, operation, type })
      },
    })
  })
}

// True if the answer is a stream. A client that accepts both gets JSON for a query, and events for a subscription.
function choosesStream(request: FastifyRequest, { isSubscription }: Engine): boolean {
  if (!negotiateAccept(request.raw).allowsStream) return false
  const { query, operationName } = (readGraphqlParams(request) ?? {}) as Readonly<Record<string, unknown>>
  if (typeof query !== 'string' || !/\bsubscription\b/.test(query)) return false
  return isSubscription({ query, operationName: readName(operationName) })
}

function readName(operationName: unknown): string | null {
  return typeof operationName === 'string' ? operationName : null
}

function unacceptable(): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    '`Accept` must allow `application/graphql-response+json` or `application/json`.',
  )
}
