import type { FastifyReply, FastifyRequest } from 'fastify'
import { catalogue } from '../../errors.ts'
import { maskError } from '../../graphql/mask-error.ts'
import { toGraphqlError } from '../../graphql/mask-graphql-error.ts'
import { isGraphqlUrl } from '../paths.ts'
import { setErrorHeaders } from './error-headers.ts'
import { toProblem } from './problem.ts'

interface FailedRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly error: unknown
  /** Where HTTP has a better word than the catalogue (405, 431). */
  readonly status?: number
}

/**
 * Answers a request that failed: on `/graphql` in the shape of GraphQL, elsewhere as a problem document (contract,
 * section 2), masked alike.
 */
export function answerError(failed: FailedRequest): FastifyReply {
  return failed.reply.send(prepareError(failed))
}

/** Makes the reply ready for that answer, and gives its body. */
export function prepareError({ request, reply, error, status }: FailedRequest): object {
  const masked = maskError(error, request.scope)
  setErrorHeaders(reply, masked)
  reply.code(status ?? catalogue[masked.code].status)
  if (isGraphqlUrl(request.url)) {
    reply.type('application/json; charset=utf-8')
    return { errors: [toGraphqlError(masked)] }
  }
  reply.type('application/problem+json; charset=utf-8')
  return toProblem(masked, status)
}
