import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../credentials/caller.ts'
import type { Execution } from '../../domain/scripts/run.ts'
import type { DeliveryInput } from '../../domain/webhooks/run-delivery.ts'
import type { Webhook } from '../../domain/webhooks/webhook-store.ts'
import { RostrumError } from '../../errors.ts'
import { newGuid } from '../../guid.ts'
import { answerFailure } from '../errors/answer-error.ts'
import type { HttpServices } from '../request/http-services.ts'

export interface AnswerDelivery {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Caller
  readonly webhook: Webhook
  readonly messageId: string | null
  readonly input: DeliveryInput
}

/** Runs a delivery, once if it has a message id, and answers it (contract, section 8). */
export async function answerDelivery(
  delivery: AnswerDelivery,
  services: HttpServices,
): Promise<FastifyReply> {
  const { request, reply, caller, webhook, messageId, input } = delivery
  if (webhook.mode === 'queued') return queueDelivery(delivery, services)
  const { accountCode } = caller
  const { signal, log, onRun, span } = request.state
  const asking = { caller, parentRun: null, signal, log, onRun, span }
  const run = () => services.webhooks.runDelivery({ webhook, input, asking })
  if (messageId === null) return answerExecution(delivery, await run())
  const message = { accountCode, webhookId: webhook.id, messageId, span, signal }
  const ran = await services.webhooks.messages.runOnce(message, async () => {
    const execution = await run()
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
  const txnId = newGuid()
  request.state.txnId = txnId
  const { accountCode } = caller
  const { kind, answer } = await webhooks.messages.queueOnce({
    accountCode,
    webhook,
    messageId,
    input,
    txnId,
    span: request.state.span,
  })
  if (kind === 'queued') reply.code(202)
  else reply.header('idempotency-replayed', 'true')
  return sendJson(reply, answer)
}

function answerExecution({ request, reply, webhook }: AnswerDelivery, execution: Execution): FastifyReply {
  if (execution.payload !== null) return sendJson(reply, execution.payload.text)
  return answerFailure({ request, reply, failure: toFailure(webhook.name, execution) })
}

// A sender has no scopes, so it gets only the code of the error.
function toFailure(name: string, { id, message, error, requestContext }: Execution): RostrumError {
  const facts = { runId: id, txnID: requestContext.txnID }
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
