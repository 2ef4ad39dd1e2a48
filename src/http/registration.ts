import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { createUnreadHooks, UnreadAnswers } from './edge/unread-answers.ts'
import type { createIdempotencyHooks } from './idempotency/idempotency-hooks.ts'
import {
  createAuthenticationHook,
  refuseEncodedBody,
  refuseEndedRun,
} from './request/authenticate-request.ts'
import type { HttpServices } from './request/http-services.ts'
import type { createTurnHook } from './request/take-turn.ts'

/** The hooks and services that routes are registered with. */
export interface Registration {
  readonly services: HttpServices
  /** Counts the connection of a signed request toward its account. A signed request has no credential. */
  readonly trustSigned: (request: FastifyRequest, accountCode: string) => void
  readonly takeTurn: ReturnType<typeof createTurnHook>
  readonly idempotency: ReturnType<typeof createIdempotencyHooks>
  readonly unread: ReturnType<typeof createUnreadHooks>
  readonly unreadAnswers: UnreadAnswers
}

/**
 * Adds the hooks of every route that GraphQL or REST callers use. They check the credential before the body is read,
 * refuse what must not begin, and store and count the answer.
 */
export function addCallerHooks(
  routes: FastifyInstance,
  { services: { authenticate, countRate }, idempotency, unread }: Registration,
): void {
  routes.addHook('onRequest', createAuthenticationHook(authenticate, countRate))
  routes.addHook('onRequest', refuseEncodedBody)
  routes.addHook('preHandler', refuseEndedRun)
  routes.addHook('preHandler', unread.refuseWhenFull)
  routes.addHook('onSend', idempotency.storeAnswer)
  routes.addHook('onSend', unread.countAnswer)
}
