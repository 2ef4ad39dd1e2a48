import type { FastifyInstance } from 'fastify'
import { RostrumError } from '../errors.ts'
import { createYogaAnswer } from './answer-by-yoga.ts'
import { answerError } from './answer-error.ts'
import { createAuthenticationHook, refuseEncodedBody, refuseEndedRun } from './authenticate-request.ts'
import { answerDirectly, readOrdinaryOperation } from './direct-lane.ts'
import { createGraphiqlHook } from './graphiql-page.ts'
import { eventStream, negotiateAccept } from './negotiate-accept.ts'
import { graphqlPath } from './paths.ts'
import type { Registration } from './take-turn.ts'

/** `GET` and `POST /graphql` (contract, section 3); GraphiQL comes before the credential is asked for. */
export async function registerGraphqlRoute(
  server: FastifyInstance,
  { gateway, takeTurn }: Registration,
): Promise<void> {
  const answerByYoga = createYogaAnswer(gateway)
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
        const type = negotiateAccept(request.raw)
        if (type === null) return answerError({ request, reply, status: 406, error: unacceptable() })
        const isDirect = gateway.hasDirectLane && type !== eventStream
        const operation = isDirect ? readOrdinaryOperation(request) : null
        if (operation === null) return answerByYoga({ request, reply, type })
        return answerDirectly({ request, reply, gateway, operation, type })
      },
    })
  })
}

function unacceptable(): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    '`Accept` must allow `application/graphql-response+json` or `application/json`.',
  )
}
