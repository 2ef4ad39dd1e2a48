import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RostrumError } from '../../errors.ts'
import { graphqlPath } from '../paths.ts'
import { answerError } from './answer-error.ts'

interface KnownPath {
  readonly pattern: RegExp
  /** The methods of a path, in the order in which `Allow` lists them. */
  readonly methods: readonly string[]
}

// Methods that `Allow` can list. `GET` implies `HEAD`.
const shownMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Notes each route that the server registers from now on. Returns a function that answers a request without a matching
 * route: 405 with the allowed methods for a known path, otherwise 404 (contract, section 9). Call it in a hook, so that
 * the body of a request without a credential is not read.
 */
export function createUnknownRouteAnswer(server: FastifyInstance) {
  const knownPaths = new Map<string, KnownPath>()
  server.addHook('onRoute', ({ url, method }) => {
    const before = knownPaths.get(url)
    const methods = [before?.methods ?? [], method].flat()
    const pattern = before?.pattern ?? toPattern(url)
    knownPaths.set(url, { pattern, methods: shownMethods.filter(name => methods.includes(name)) })
  })

  const findPath = (path: string) => knownPaths.values().find(({ pattern }) => pattern.test(path))

  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = request.url.split('?', 1)[0] ?? ''
    const known = findPath(path)
    const shorter = path.endsWith('/') ? findPath(path.slice(0, -1)) : undefined
    const advice = shorter?.methods.includes(request.method) ? ' Leave out the `/` at its end.' : ''
    if (known === undefined) {
      const error = new RostrumError('NOT_FOUND', `There is nothing at this path.${advice}`)
      return answerError({ request, reply, error })
    }
    const allowed = known.methods.join(', ')
    reply.header('allow', allowed)
    const message =
      path === graphqlPath
        ? 'GraphQL takes `GET` and `POST` only.'
        : `This path has no \`${request.method}\`; it has ${allowed}.${advice}`
    return answerError({ request, reply, error: new RostrumError('METHOD_NOT_ALLOWED', message) })
  }
}

function toPattern(path: string): RegExp {
  const pattern = path.replaceAll('.', '\\.').replace(/\*$/, '.*').replace(/:\w+/g, '[^/]*')
  return new RegExp(`^${pattern}$`)
}
