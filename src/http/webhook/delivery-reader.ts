import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import { AccountBudget } from '../../limits/account-budget.ts'
import { Holding } from '../../limits/holding.ts'
import { collectBody } from '../body/collect-body.ts'
import type { HttpServices } from '../request/http-services.ts'

// Of all senders whose signature was not checked yet. No account has an empty code.
const nobody = ''
const maxUncheckedBytes = 64 * 2 ** 20

type Parts = Pick<HttpServices, 'webhookBytes' | 'budgets'>

/**
 * A hook and a content type parser that read the raw bytes of a delivery. Until its signature is checked, its memory
 * counts to all unchecked deliveries together, as it arrives. Throws like `collectBody`.
 */
export function createDeliveryReader({ webhookBytes, budgets: { chunkTurns } }: Parts) {
  const unchecked = new AccountBudget(
    { account: maxUncheckedBytes, total: maxUncheckedBytes },
    { describe: held => `Deliveries of ${held} bytes`, retryAfterSeconds: 1 },
  )
  return {
    hold(request: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
      const { state, headers } = request
      // Fastify would refuse a bad type before the signature is checked. The raw headers keep it.
      if (headers['content-type'] !== undefined)
        request.headers = { 'content-type': 'application/octet-stream' }
      state.heldBody = new Holding(unchecked, nobody)
      state.atEnd(() => state.heldBody?.release())
      done()
    },

    parse({ state, headers }: FastifyRequest, payload: Readable, done: BodyDone): void {
      const { heldBody: holding } = state
      if (holding === null) throw new Error('A delivery can be read only after it was counted.')
      const announced = Number(headers['content-length'] ?? 0)
      const collect = () =>
        collectBody(
          {
            payload,
            announced,
            maxBytes: webhookBytes,
            holding,
            closeConnection: () => state.closeConnection(),
            waitForPlace: resume => resume(),
          },
          done,
        )
      if (announced > 0) collect()
      else void chunkTurns.take(nobody).then(collect)
    },
  }
}

type BodyDone = (error: Error | null, body?: Buffer) => void
