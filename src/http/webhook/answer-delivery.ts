import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { RostrumError } from '../../errors.ts'
import { answerFailure } from '../errors/answer-error.ts'
import type { HttpServices } from '../request/http-services.ts'
import { type RunDelivery, runDelivery } from './run-delivery.ts'

export interface AnswerDelivery extends RunDelivery {
  readonly reply: FastifyReply
  readonly messageId: string | null
}

type Execution = Awaited<ReturnType<typeof runDelivery>>

/** Runs a delivery, once if it has a message id, and answers it (contract, section 8). */
export async function answerDelivery(
  delivery: AnswerDelivery,
  services: HttpServices,
): Promise<FastifyReply> {
  const { request, reply, caller, webhook, messageId } = delivery
  if (webhook.mode === 'queued') return queueDelivery(delivery, services)
  if (messageId === null) return answerExecution(delivery, await runDelivery(delivery, services))
  const { accountCode } = caller
  const { signal } = request.state
  const message = { accountCode, webhookId: webhook.id, messageId, signal }
  const ran = await services.webhooks.messages.runOnce(message, async () => {
    const execution = await runDelivery(delivery, services)
    return { result: execution, answer: execution.payload?.text ?? null }
  })
  if (ran.kind === 'ran') return answerExecution(delivery, ran.result)
  reply.header('idempotency-replayed', 'true')
  return sendJson(reply, ran.answer)
}

async function queueDelivery(
  { request, reply, caller, webhook, messageId, input }: AnswerDelivery,
  { webhooks }: HttpServices,
): Promise<FastifyReply> {
  const txnId = randomUUID()
  request.state.txnId = txnId
  const { accountCode } = caller
  const { kind, answer } = await webhooks.messages.queueOnce({
    accountCode,
    webhook,
    messageId,
    input,
    txnId,
  })
  if (kind === 'queued') reply.code(202)
  else reply.header('idempotency-replayed', 'true')
  return sendJson(reply, answer)
}

function answerExecution({ request, reply, webhook }: AnswerDelivery, execution: Execution): FastifyReply {
  if (execution.payload !== null) return sendJson(reply, execution.payload.text)
  return answerFailure({ request, reply, failure: toFailure(webhook.name, execution) })
}

// Nobody is there who could have `runs:read`.
function toFailure(name: string, { id, message, error, requestContext }: Execution): RostrumError {
  const facts = { runId: id, txnId: requestContext.txnID }
  if (error === null) return new RostrumError('SCRIPT_FAILED', message ?? '', { facts })
  const { code } = error
  return new RostrumError(
    'SCRIPT_ERROR',
    `The webhook \`${name}\` failed with \`${code}\` in run \`${id}\`.`,
    {
      facts: { ...facts, error: { code } },
    },
  )
}

function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text)
}
