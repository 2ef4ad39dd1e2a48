import type { FastifyReply, FastifyRequest } from 'fastify'
import { RostrumError } from '../../errors.ts'
import { answerError } from '../errors/answer-error.ts'

/**
 * Node's own limit counts the URL as well: room for 1,000 ids of 16 digits (contract, section 2), and for several times as
 * many, which are told that they are too many.
 */
export const largestHead = 128 * 2 ** 10

const largestHeaders = 16 * 2 ** 10

/** Headers alone get no more than what Node allows by default: 431 beyond. */
export function refuseLargeHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  let size = 0
  for (const text of request.raw.rawHeaders) size += text.length + 2
  if (size <= largestHeaders) return undefined
  const message = `The headers have ${size} bytes; at most ${largestHeaders} are taken.`
  return answerError({ request, reply, error: new RostrumError('BAD_USER_INPUT', message), status: 431 })
}
