import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { FairTurns } from '../../fairness/fair-turns.ts'
import type { Place } from '../../fairness/places.ts'
import type { Reservation } from '../../fairness/reservation.ts'
import type { HttpBudgets } from '../request/budgets.ts'
import { prefersStrict } from '../request/prefers-strict.ts'
import { type BodyMemory, collectBody, maxBytesAtOnce } from './collect-body.ts'
import type { ReserveMemory } from './json-body.ts'

/** Turns the bytes of a body into its value. */
export type ReadBody = (body: Buffer, reserveMemory: ReserveMemory) => unknown

type BodyDone = (error: Error | null, value?: unknown) => void

interface Parts {
  readonly bodyBytes: number
  readonly turns: FairTurns
  readonly budgets: Pick<HttpBudgets, 'bodyPlaces' | 'chunkTurns'>
}

/** Returns a Fastify content type parser that reads bodies with `read`. */
export function createBodyParser(
  { bodyBytes, turns, budgets: { bodyPlaces, chunkTurns } }: Parts,
  read: ReadBody,
) {
  function readNow(request: FastifyRequest, body: Buffer): unknown {
    // Many clients send a content type with every request, but a DELETE needs no body. Only a strict one reads it.
    if (request.method === 'DELETE' && (body.length === 0 || !prefersStrict(request))) return undefined
    const { state, headers } = request
    const value = read(body, bytes => state.heldBody?.resize(bytes))
    if (headers['idempotency-key'] !== undefined) state.bodyDigest = hash('sha256', body, 'buffer')
    return value
  }

  // Bodies that end at the same time would be read one after the other, for ten milliseconds each.
  async function readInTurn(request: FastifyRequest, body: Buffer, accountCode: string): Promise<unknown> {
    const { signal } = request.state
    await turns.wait(accountCode)
    signal.throwIfAborted()
    const value = readNow(request, body)
    await turns.wait(accountCode)
    return value
  }

  return (request: FastifyRequest, payload: Readable, done: BodyDone): void => {
    const { state } = request
    const { heldBody: holding } = state
    if (holding === null) throw new Error('A body can be read only after it was counted to an account.')
    const { accountCode } = state.checkedIdentity.caller
    let place: Place | null = null
    const collecting = {
      payload,
      announced: Number(request.headers['content-length'] ?? 0),
      maxBytes: bodyBytes,
      memory: countTo(holding),
      closeConnection: () => state.closeConnection(),
      waitForPlace: (resume: () => void) => {
        place = bodyPlaces.placeFor(accountCode)
        place.take(resume)
      },
    }

    function finish(error: Error | null, body: Buffer): void {
      if (error === null && body.length > maxBytesAtOnce) {
        readInTurn(request, body, accountCode)
          .finally(() => place?.leave())
          .then(value => done(null, value), done)
        return
      }
      place?.leave()
      if (error !== null) return done(error)
      let value: unknown
      try {
        value = readNow(request, body)
      } catch (failure) {
        return done(failure as Error)
      }
      done(null, value)
    }

    if (collecting.announced > 0) collectBody(collecting, finish)
    else void chunkTurns.take(accountCode).then(() => collectBody(collecting, finish))
  }
}

// Counts the announced bytes before the first ones arrive.
function countTo(holding: Reservation): BodyMemory {
  return {
    reserve(bytes) {
      if (bytes > holding.amount) holding.resize(bytes)
      return null
    },
    arrived: () => undefined,
  }
}
