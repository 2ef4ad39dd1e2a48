import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import { Reservation } from '../../fairness/reservation.ts'
import type { HttpServices } from './http-services.ts'

/**
 * Creates a hook that runs after the credential was checked and before the body is read. It waits for the request's
 * turn among the requests of all accounts, and counts the announced body toward the account.
 */
export function createTurnHook({
  turns,
  bodyBytes,
  budgets: { bodies },
}: Pick<HttpServices, 'turns' | 'bodyBytes' | 'budgets'>) {
  return ({ state, raw }: FastifyRequest, reply: FastifyReply, done: HookDone): void => {
    const { accountCode } = state.checkedIdentity.caller
    const heldBody = new Reservation(bodies, accountCode)
    heldBody.resize(Math.min(announcedBytes(raw), bodyBytes))
    state.heldBody = heldBody
    turns.take(accountCode).then(
      () => {
        state.endTurn = endOnce(() => {
          turns.end(accountCode)
          state.heldBody?.release()
        })
        state.atEnd(() => state.endTurn())
        const isGone = reply.raw.destroyed && state.signal.aborted
        done(isGone ? (state.signal.reason as Error) : undefined)
      },
      error => {
        heldBody.release()
        done(error)
      },
    )
  }
}

function endOnce(end: () => void): () => void {
  let isEnded = false
  return () => {
    if (!isEnded) end()
    isEnded = true
  }
}

// Returns the announced bytes of the body. A body without a length is counted while it arrives.
function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0)
}
