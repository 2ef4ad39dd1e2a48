import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import type { Gateway } from './gateway.ts'
import type { createIdempotencyHooks } from './idempotency-hooks.ts'
import type { createUnreadHooks } from './unread-answers.ts'

/** What routes are registered with. */
export interface Registration {
  readonly gateway: Gateway
  readonly takeTurn: ReturnType<typeof createTurnHook>
  readonly idempotency: ReturnType<typeof createIdempotencyHooks>
  readonly unread: ReturnType<typeof createUnreadHooks>
}

/** A hook behind the credential's and before the body is read: waits for the request's turn among those of all accounts. */
export function createTurnHook({ turns, bodyBytes }: Pick<Gateway, 'turns' | 'bodyBytes'>) {
  return ({ scope, raw }: FastifyRequest, reply: FastifyReply, done: HookDone): void => {
    const accountCode = scope.identity?.caller.accountCode
    if (accountCode === undefined) return done()
    const bytes = Math.min(announcedBytes(raw), bodyBytes)
    turns.take(accountCode, bytes).then(() => {
      scope.endTurn = endOnce(() => turns.end(accountCode, bytes))
      scope.atEnd(() => scope.endTurn())
      const isGone = reply.raw.destroyed && scope.signal.aborted
      done(isGone ? (scope.signal.reason as Error) : undefined)
    }, done)
  }
}

function endOnce(end: () => void): () => void {
  let isEnded = false
  return () => {
    if (!isEnded) end()
    isEnded = true
  }
}

// What comes in chunks may be of any size, and counts as the largest.
function announcedBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY
  return Number(headers['content-length'] ?? 0)
}
