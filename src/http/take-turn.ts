import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import { FairTurns } from './fair-turns.ts'
import type { Gateway } from './gateway.ts'
import type { createIdempotencyHooks } from './idempotency-hooks.ts'

/** What routes are registered with. */
export interface Registration {
  readonly gateway: Gateway
  readonly takeTurn: ReturnType<typeof createTurnHook>
  readonly idempotency: ReturnType<typeof createIdempotencyHooks>
}

// An account can have bodies in work that together are as large as so many of the largest: what is read is in memory until it
// is answered, and 1,000 of 2 MiB took 2 GB.
const mostLargestBodies = 256

/** A hook behind the credential's and before the body is read: waits for the request's turn among those of all accounts. */
export function createTurnHook({
  accountRequests,
  bodyBytes,
}: Pick<Gateway, 'accountRequests' | 'bodyBytes'>) {
  const turns = new FairTurns({ requests: accountRequests, bytes: mostLargestBodies * bodyBytes })
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
