import type { FastifyRequest } from 'fastify'
import type { createUnreadHooks, UnreadAnswers } from './edge/unread-answers.ts'
import type { createIdempotencyHooks } from './idempotency/idempotency-hooks.ts'
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
