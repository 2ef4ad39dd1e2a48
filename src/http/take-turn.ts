import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FairTurns } from './fair-turns.ts'
import type { Gateway } from './gateway.ts'

/** What routes are registered with. */
export interface Registration {
  readonly gateway: Gateway
  readonly takeTurn: ReturnType<typeof createTurnHook>
}

/** A hook behind the credential's and before the body is read: waits for the request's turn among those of all accounts. */
export function createTurnHook(turns: FairTurns) {
  return async ({ scope }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const accountCode = scope.identity?.caller.accountCode
    if (accountCode === undefined) return
    await turns.take(accountCode)
    if (!reply.raw.destroyed) return void reply.raw.once('close', () => turns.end(accountCode))
    turns.end(accountCode)
    scope.signal.throwIfAborted()
  }
}
