import type { FastifyRequest } from 'fastify'
import { type Caller, isScope } from '../../credentials/caller.ts'
import { endpointCause } from '../../domain/runs/run-cause.ts'
import type { Webhook } from '../../domain/webhooks/webhook-store.ts'
import { RostrumError } from '../../errors.ts'
import type { HttpServices } from '../request/http-services.ts'
import type { DeliveryInput } from './read-delivery.ts'

export interface RunDelivery {
  readonly request: FastifyRequest
  readonly caller: Caller
  readonly webhook: Webhook
  readonly input: DeliveryInput
}

/** The account itself, with the rights of the webhook: no user sends a delivery. */
export function callerOf(accountCode: string, { scopes }: Webhook): Caller {
  return {
    accountCode,
    userId: null,
    subject: null,
    email: null,
    displayName: null,
    scopes: new Set(scopes.filter(isScope)),
    rightsOf: 'webhook',
  }
}

/** Runs the live version of the webhook's function. A script that fails is a result, not an error. */
export async function runDelivery(
  { request: { state }, caller, webhook, input }: RunDelivery,
  { webhooks }: HttpServices,
) {
  const live = await webhooks.findLive(caller.accountCode, webhook.functionId)
  // It is not removed while a webhook uses it, but both may be gone since the webhook was read.
  if (live === null) throw new RostrumError('CONFLICT', 'The webhook was removed.', { reason: 'CHANGED' })
  const { log, signal, onRun } = state
  return webhooks.execute({
    input: {
      name: webhook.name,
      sourceCode: live.sourceCode,
      inputDocument: input.payload,
      options: input.options,
      metadata: { caseTypeCode: null, accountNickname: null },
    },
    cause: { ...endpointCause, trigger: 'webhook', function: live },
    caller,
    parentRun: null,
    signal,
    log,
    onRun,
  })
}
