import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import { ArrivalError, ArrivingBodies } from '../body/arriving-bodies.ts'
import { collectBody } from '../body/collect-body.ts'
import type { HttpServices } from '../request/http-services.ts'

/** All senders whose signature was not checked yet take turns as one owner. */
export const uncheckedDeliveries = Symbol('unchecked deliveries')

const stalled = 'The body did not arrive in time, and others needed its memory. Send it again.'

const minUncheckedBytes = 48 * 2 ** 20

type Parts = Pick<HttpServices, 'webhookBytes' | 'budgets'>

/**
 * A hook and a content type parser that read the raw bytes of a delivery. Until its signature is checked, its memory
 * counts to all unchecked deliveries together, as it arrives. Throws like `collectBody`.
 */
export function createDeliveryReader({ webhookBytes, budgets: { chunkTurns } }: Parts) {
  const unchecked = new ArrivingBodies(Math.max(minUncheckedBytes, 2 * webhookBytes))
  return {
    hold(request: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
      const { headers } = request
      // Fastify would refuse a bad type before the signature is checked. The raw headers keep it.
      if (headers['content-type'] !== undefined)
        request.headers = { 'content-type': 'application/octet-stream' }
      done()
    },

    parse({ state, headers }: FastifyRequest, payload: Readable, done: BodyDone): void {
      const announced = Number(headers['content-length'] ?? 0)
      let stop: ((error: Error) => void) | null = null
      const memory = unchecked.enter(() => {
        state.closeConnection()
        stop?.(new ArrivalError(408, stalled))
      })
      state.endTurn = memory.release
      state.atEnd(memory.release)
      const collect = () => {
        stop = collectBody(
          {
            payload,
            announced,
            maxBytes: webhookBytes,
            memory,
            closeConnection: () => state.closeConnection(),
            waitForPlace: resume => resume(),
          },
          (error, body) => {
            memory.complete()
            done(error, body)
          },
        )
      }
      if (announced > 0) collect()
      else void chunkTurns.take(uncheckedDeliveries).then(collect)
    },
  }
}

type BodyDone = (error: Error | null, body?: Buffer) => void
