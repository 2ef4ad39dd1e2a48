import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RefusedDeliveries } from '../../domain/webhooks/refused-deliveries.ts'
import { verifyDelivery } from '../../domain/webhooks/verify-delivery.ts'
import type { WebhookLookUp } from '../../domain/webhooks/webhook-look-up.ts'
import type { Webhook } from '../../domain/webhooks/webhook-store.ts'
import { RostrumError } from '../../errors.ts'

export interface CheckedDelivery {
  readonly accountCode: string
  readonly webhook: Webhook
  /** Null if the sender sends no message id. */
  readonly messageId: string | null
  readonly body: Buffer
}

const noBody = Buffer.alloc(0)
// Created once, because a stack costs more than a hash.
const refusal = new RostrumError(
  'UNAUTHENTICATED',
  'There is no such webhook, or the signature is not valid.',
)

/**
 * Checks who sends a delivery, on its raw bytes. Throws the same `UNAUTHENTICATED` for an unknown account, an unknown
 * or disabled webhook, and a bad or old signature (contract, section 8). It logs why a webhook that exists refused the
 * delivery, but only after the answer: an answer that is later than others would reveal that the webhook exists.
 */
export async function checkDelivery(
  request: FastifyRequest,
  reply: FastifyReply,
  { lookUp, refused }: { readonly lookUp: WebhookLookUp; readonly refused: RefusedDeliveries },
): Promise<CheckedDelivery> {
  const { account_nickname: account = '', name = '' } = request.params as Readonly<Record<string, string>>
  const body = Buffer.isBuffer(request.body) ? request.body : noBody
  const delivery = { body, header: (header: string) => readHeader(request, header) }
  const found = await lookUp.find(account, name, request.state.span)
  const isEnabled = found?.webhook.enabled === true
  const given = isEnabled ? { ...found.webhook, secrets: found.secrets, nowMs: Date.now() } : null
  const result = verifyDelivery(delivery, given)
  if (found !== null && result.kind === 'verified') {
    return { accountCode: account, webhook: found.webhook, messageId: result.messageId, body }
  }
  request.state.atEnd(() => {
    if (found !== null && result.kind === 'refused') refused.add(account, found.webhook, result.reason)
  })
  throw deliveryRefused(reply)
}

/**
 * The one refusal of deliveries. Sets its challenge, which every 401 must have (RFC 9110, section 15.5.2); `Bearer`
 * would ask for a token.
 */
export function deliveryRefused(reply: FastifyReply): RostrumError {
  reply.header('www-authenticate', 'WebhookSignature realm="rostrum"')
  return refusal
}

/** A header of a request, as it came. Values that came several times are joined. */
export function readHeader({ raw: { headers } }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
