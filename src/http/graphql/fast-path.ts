import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Engine } from '../../graphql/engine.ts'
import { type WrittenAnswer, writeAnswer } from '../../graphql/write-answer.ts'
import { hintStatus, statusFor } from '../errors/graphql-status.ts'
import { executeFor, type HttpServices } from '../request/http-services.ts'
import { isPlainObject } from './read-graphql-params.ts'

type Operation = Parameters<Engine['execute']>[0]

const contentTypes = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
])

const parameters = new Set(['query', 'variables', 'operationName', 'extensions'])

/**
 * Returns the operation of an ordinary request: a POST of `application/json` with known parameters of the right type.
 * Returns null for any other request, which Yoga answers.
 */
export function readOrdinaryOperation({ method, headers, body }: FastifyRequest): Operation | null {
  if (method !== 'POST' || !contentTypes.has(headers['content-type'] ?? '') || !isPlainObject(body))
    return null
  for (const name in body) if (!parameters.has(name)) return null
  const { query, variables, operationName, extensions } = body
  if (
    typeof query !== 'string' ||
    query === '' ||
    (operationName != null && typeof operationName !== 'string')
  )
    return null
  if ((variables != null && !isPlainObject(variables)) || (extensions != null && !isPlainObject(extensions)))
    return null
  return { query, variables: variables ?? null, operationName: operationName ?? null }
}

interface DirectRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly services: HttpServices
  readonly operation: Operation
  /** The media type of the answer. */
  readonly type: string
}

/** Executes an ordinary operation and answers as Yoga would, but without the bodies and streams of the Fetch API. */
export async function answerDirectly({
  request,
  reply,
  services,
  operation,
  type,
}: DirectRequest): Promise<FastifyReply> {
  const { state } = request
  // Frees the body, which is not needed any more.
  request.body = undefined
  const executing = executeFor(state, services, operation)
  const answer = executing instanceof Promise ? await executing : executing
  state.operation = answer.operation
  state.isDocumentRefused = answer.refusedBy === 'document'
  return sendAnswer(reply, writeAnswer(answer, services.maxAnswerBytes), type)
}

function sendAnswer(reply: FastifyReply, { answer, text }: WrittenAnswer, type: string): FastifyReply {
  const hint = hintStatus(answer)
  if (hint !== null) {
    reply.code(statusFor(hint, type))
    if (hint.headers !== undefined) reply.headers(hint.headers)
  }
  reply.header('content-type', `${type}; charset=utf-8`)
  return reply.send(text)
}
