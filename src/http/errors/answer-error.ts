import type { FastifyReply, FastifyRequest } from 'fastify'
import { catalogue, type RostrumError } from '../../errors.ts'
import { maskError } from '../../graphql/mask-error.ts'
import { toGraphqlError } from '../../graphql/mask-result.ts'
import { eventStream, negotiateAccept } from '../graphql/negotiate-accept.ts'
import { writeLastEvent } from '../graphql/write-events.ts'
import { isGraphqlUrl } from '../paths.ts'
import { setErrorHeaders } from './error-headers.ts'
import { toProblem } from './problem.ts'

interface Failed {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** A status that fits better than the one of the catalogue (405, 431). */
  readonly status?: number
}

/** Answers a request with an error of any kind, masked. */
export function answerError({ error, ...failed }: Failed & { readonly error: unknown }): FastifyReply {
  return answerFailure({ ...failed, failure: maskError(error, failed.request.state) })
}

/**
 * Answers a request with a masked failure: in the form of GraphQL on `/graphql`, elsewhere as a problem document
 * (contract, section 2).
 */
export function answerFailure(failed: Failed & { readonly failure: RostrumError }): FastifyReply {
  return failed.reply.send(prepareFailure(failed))
}

/**
 * Sets the status and headers of that answer and returns its body, text for a stream. On `/graphql` it has the media
 * type that `Accept` asks for (contract, section 9).
 */
export function prepareFailure({
  request,
  reply,
  failure,
  status,
}: Failed & { readonly failure: RostrumError }): object | string {
  setErrorHeaders(reply, failure)
  reply.code(status ?? catalogue[failure.code].status)
  if (isGraphqlUrl(request.url)) {
    const type = negotiateAccept(request.raw) ?? 'application/json'
    const result = { errors: [toGraphqlError(failure)] }
    reply.type(type === eventStream ? type : `${type}; charset=utf-8`)
    return type === eventStream ? writeLastEvent(JSON.stringify(result)) : result
  }
  reply.type('application/problem+json; charset=utf-8')
  return toProblem(failure, status)
}
