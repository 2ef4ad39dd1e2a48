import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../../domain/webhooks/run-delivery.ts'
import { memoryOf } from '../body/json-body.ts'
import { webhookPath } from '../paths.ts'
import type { Registration } from '../registration.ts'
import { answerDelivery } from './answer-delivery.ts'
import { type CheckedDelivery, checkDelivery } from './check-delivery.ts'
import { createDeliveryReader, uncheckedDeliveries } from './delivery-reader.ts'
import { readDelivery } from './read-delivery.ts'

/**
 * Registers the path of deliveries (contract, section 8), which needs no credential: the signature of the raw bytes is
 * checked before anything of them is parsed. Until then a request counts to its connection, from then on to the
 * account.
 */
export async function registerWebhookRoute(
  server: FastifyInstance,
  { services, takeTurn, trustSigned, unread }: Registration,
): Promise<void> {
  const { turns, webhooks } = services
  const reader = createDeliveryReader(services)

  async function check(request: FastifyRequest, reply: FastifyReply): Promise<CheckedDelivery> {
    await turns.wait(uncheckedDeliveries)
    return checkDelivery(request, reply, webhooks)
  }

  async function countTo(
    { accountCode, body }: CheckedDelivery,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    request.state.endTurn()
    trustSigned(request, accountCode)
    await whenDone(done => unread.refuseWhenFull(request, reply, done))
    await whenDone(done => takeTurn(request, reply, done))
    // A body that came in chunks was not announced. The run holds its text until the answer.
    request.state.heldBody?.resize(memoryOf(body.length, 0))
  }

  await server.register(async routes => {
    routes.addHook('onRequest', reader.hold)
    routes.addHook('onSend', unread.countAnswer)
    routes.removeAllContentTypeParsers()
    routes.addContentTypeParser('*', reader.parse)
    routes.post(webhookPath, async (request, reply) => {
      const checked = await check(request, reply)
      const { accountCode, webhook, messageId, body } = checked
      const caller = callerOf(accountCode, webhook)
      request.state.identity = { caller, run: null }
      await countTo(checked, request, reply)
      const input = readDelivery(request, body, webhook)
      return answerDelivery({ request, reply, caller, webhook, messageId, input }, services)
    })
  })
}

function whenDone(hook: (done: (error?: Error) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    hook(error => (error === undefined ? resolve() : reject(error)))
  })
}
