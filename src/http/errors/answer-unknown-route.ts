import type { FastifyReply, FastifyRequest } from 'fastify'
import { RostrumError } from '../../errors.ts'
import { graphqlPath, webhookPath } from '../paths.ts'
import { restRoutes } from '../rest/rest-routes.ts'
import { answerError } from './answer-error.ts'

interface KnownPath {
  readonly pattern: RegExp
  readonly methods: readonly string[]
}

const knownPaths: readonly KnownPath[] = [
  ...Map.groupBy(restRoutes, ({ operation }) => operation.path)
    .entries()
    .map(([path, rows]) => ({
      pattern: toPattern(path),
      methods: rows.map(({ operation }) => operation.method),
    })),
  { pattern: toPattern(webhookPath), methods: ['POST'] },
  { pattern: toPattern('/'), methods: ['GET'] },
  { pattern: toPattern('/health'), methods: ['GET'] },
  { pattern: toPattern('/ready'), methods: ['GET'] },
]

/**
 * Answers a request that matches no route: 405, which names the methods of a known path, else 404 (contract, section
 * 9). Called in a hook, so that the body of a request without a credential is not read.
 */
export function answerUnknownRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? ''
  if (path === graphqlPath) {
    reply.header('allow', 'GET, POST')
    const error = new RostrumError('METHOD_NOT_ALLOWED', 'GraphQL takes `GET` and `POST` only.')
    return answerError({ request, reply, error })
  }
  const known = knownPaths.find(({ pattern }) => pattern.test(path))
  if (known === undefined) {
    return answerError({
      request,
      reply,
      error: new RostrumError('NOT_FOUND', 'There is nothing at this path.'),
    })
  }
  const allowed = known.methods.join(', ')
  reply.header('allow', allowed)
  const message = `This path has no \`${request.method}\`; it has ${allowed}.`
  return answerError({ request, reply, error: new RostrumError('METHOD_NOT_ALLOWED', message) })
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]*')}$`)
}
