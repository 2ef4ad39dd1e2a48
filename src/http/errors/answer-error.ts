import type { FastifyReply, FastifyRequest } from 'fastify'
import { catalogue, type RostrumError } from '../../errors.ts'
import { maskError } from '../../graphql/mask-error.ts'
import { toGraphqlError } from '../../graphql/mask-result.ts'
import { isGraphqlUrl } from '../paths.ts'
import { writeLastEvent } from '../request/event-stream.ts'
import { eventStream, negotiateAccept } from '../request/negotiate-accept.ts'
import { setErrorHeaders } from './error-headers.ts'
import { toProblem } from './problem.ts'

interface Failed {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The status to send instead of the one from the catalogue, such as 405 or 431. */
  readonly status?: number
}

/** Masks an error of any kind and answers the request with it. */
export function answerError({ error, ...failed }: Failed & { readonly error: unknown }): FastifyReply {
  return answerFailure({ ...failed, failure: maskError(error, failed.request.state) })
}

/**
 * Answers a request with a masked failure: as a GraphQL answer on `/graphql`, elsewhere as a problem document
 * (contract, section 2).
 */
export function answerFailure(failed: Failed & { readonly failure: RostrumError }): FastifyReply {
  return failed.reply.send(prepareFailure(failed))
}

/**
 * Sets the status and headers of a failure and returns the body; for a stream, the text of its one event. On `/graphql`
 * the body has the media type that `Accept` asks for (contract, section 9).
 */
export function prepareFailure({
  request,
  reply,
  failure,
  status,
}: Failed & { readonly failure: RostrumError }): object | string {
  setErrorHeaders(reply, failure)
  // The route may have said that its file can be stored.
  reply.header('cache-control', 'no-store')
  reply.code(status ?? catalogue[failure.code].status)
  if (isGraphqlUrl(request.url)) {
    const type = negotiateAccept(request.raw).type ?? 'application/json'
    const result = { errors: [toGraphqlError(failure)] }
    reply.type(type === eventStream ? type : `${type}; charset=utf-8`)
    return type === eventStream ? writeLastEvent(JSON.stringify(result)) : result
  }
  reply.type('application/problem+json; charset=utf-8')
  return toProblem(failure, status)
}
