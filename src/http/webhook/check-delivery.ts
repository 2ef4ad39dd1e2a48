import type { FastifyRequest } from 'fastify'
import { refuseUnknown, verifyDelivery } from '../../domain/webhooks/verify-delivery.ts'
import type { WebhookLookUp } from '../../domain/webhooks/webhook-look-up.ts'
import type { Webhook } from '../../domain/webhooks/webhook-store.ts'
import { RostrumError } from '../../errors.ts'

export interface CheckedDelivery {
  readonly accountCode: string
  readonly webhook: Webhook
  /** Null for a sender that gives none. */
  readonly messageId: string | null
  readonly body: Buffer
}

const noBody = Buffer.alloc(0)

/**
 * Checks who sends a delivery, on its raw bytes. Throws the same `UNAUTHENTICATED` for an unknown account, an unknown
 * or disabled webhook, and a bad or old signature (contract, section 8).
 */
export async function checkDelivery(
  request: FastifyRequest,
  lookUp: WebhookLookUp,
): Promise<CheckedDelivery> {
  const { account_nickname: account = '', name = '' } = request.params as Readonly<Record<string, string>>
  const body = Buffer.isBuffer(request.body) ? request.body : noBody
  const delivery = { body, header: (header: string) => readHeader(request, header) }
  const found = await lookUp.find(account, name)
  const result =
    found === null
      ? refuseUnknown(delivery)
      : verifyDelivery(delivery, { ...found.webhook, secrets: found.secrets, nowMs: Date.now() })
  if (found === null || result.kind === 'refused') {
    throw new RostrumError('UNAUTHENTICATED', 'There is no such webhook, or the signature is not valid.')
  }
  return { accountCode: account, webhook: found.webhook, messageId: result.messageId, body }
}

/** A header of a request. Values that came several times are joined. */
export function readHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
