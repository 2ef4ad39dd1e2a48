import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import { Holding } from '../../limits/holding.ts'
import type { createUnreadHooks, UnreadAnswers } from '../edge/unread-answers.ts'
import type { createIdempotencyHooks } from '../idempotency/idempotency-hooks.ts'
import type { Gateway } from './gateway.ts'

/** What routes are registered with. */
export interface Registration {
  readonly gateway: Gateway
  readonly takeTurn: ReturnType<typeof createTurnHook>
  readonly idempotency: ReturnType<typeof createIdempotencyHooks>
  readonly unread: ReturnType<typeof createUnreadHooks>
  readonly unreadAnswers: UnreadAnswers
}

/**
 * A hook behind the credential's and before the body is read: waits for the request's turn among those of all accounts. The body
 * is counted to the account as it was announced.
 */
export function createTurnHook({
  turns,
  bodyBytes,
  budgets: { bodies },
}: Pick<Gateway, 'turns' | 'bodyBytes' | 'budgets'>) {
  return ({ scope, raw }: FastifyRequest, reply: FastifyReply, done: HookDone): void => {
    const accountCode = scope.identity?.caller.accountCode
    if (accountCode === undefined) return done()
    const heldBody = new Holding(bodies, accountCode)
    heldBody.resize(Math.min(announcedBytes(raw), bodyBytes))
    scope.heldBody = heldBody
    turns.take(accountCode).then(
      () => {
        scope.endTurn = endOnce(() => {
          turns.end(accountCode)
          scope.heldBody?.release()
        })
        scope.atEnd(() => scope.endTurn())
        const isGone = reply.raw.destroyed && scope.signal.aborted
        done(isGone ? (scope.signal.reason as Error) : undefined)
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

// What comes in chunks is counted as it comes.
function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0)
}
