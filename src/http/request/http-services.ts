import type { Logger } from 'pino'
import type { CreateContext } from '../../context.ts'
import type { Authenticate } from '../../credentials/authenticator.ts'
import type { KeyedRequests } from '../../domain/idempotency/keyed-requests.ts'
import type { MessageRuns } from '../../domain/webhooks/message-runs.ts'
import type { RefusedDeliveries } from '../../domain/webhooks/refused-deliveries.ts'
import type { RunDelivery } from '../../domain/webhooks/run-delivery.ts'
import type { WebhookLookUp } from '../../domain/webhooks/webhook-look-up.ts'
import type { FairTurns } from '../../fairness/fair-turns.ts'
import { Reservation } from '../../fairness/reservation.ts'
import type { Answer, Engine } from '../../graphql/engine.ts'
import type { EventStream } from '../../graphql/event-stream.ts'
import type { Counts } from '../../metrics/counts.ts'
import type { Tracing } from '../../tracing/span.ts'
import type { CountRate } from './authenticate-request.ts'
import type { HttpBudgets } from './budgets.ts'
import type { RequestState } from './request-state.ts'

/** The services that routes use; wired in `app.ts`. */
export interface HttpServices {
  readonly engine: Engine
  readonly authenticate: Authenticate
  readonly createContext: CreateContext
  readonly keyedRequests: KeyedRequests
  /** Returns the names of what the gateway still waits for before it can serve; empty if it is ready. */
  findUnready(): Promise<string[]>
  /**
   * Reserves a place for a request's run until the returned function is called. Throws `OVERLOADED` if all are taken.
   */
  reserveRunPlace(accountCode: string): () => void
  /** Number of sandboxes under load, each of which takes some files of the process. */
  readonly maxSandboxes: number
  readonly bodyBytes: number
  /** Maximum bytes of a function's source. */
  readonly sourceBytes: number
  /** Maximum bytes of a webhook's body. */
  readonly webhookBytes: number
  readonly webhooks: WebhookServices
  /** Maximum of one answer, in bytes. */
  readonly maxAnswerBytes: number
  readonly budgets: HttpBudgets
  /** Turns that requests and calls of scripts take. */
  readonly turns: FairTurns
  readonly log: Logger
  readonly counts: Counts
  /** Counts requests of each credential; null without a limit. */
  readonly countRate: CountRate | null
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  /** Prints the metrics; null if they have a port of their own. */
  readonly printMetrics: (() => Promise<string>) | null
  /** Null if no traces are sent. */
  readonly tracing: Tracing | null
  /** If false, every GraphQL request goes through Yoga. A test uses it to compare both. */
  readonly hasFastPath: boolean
}

export interface WebhookServices {
  readonly lookUp: WebhookLookUp
  readonly refused: RefusedDeliveries
  readonly messages: MessageRuns
  readonly runDelivery: RunDelivery
}

/** Executes an operation of a request whose credential has been checked. */
export function executeFor(
  state: RequestState,
  { engine, createContext }: HttpServices,
  operation: Parameters<Engine['execute']>[0],
): Answer | Promise<Answer> {
  return engine.execute(operation, createContext(state, state.checkedIdentity))
}

/** Executes an operation like `executeFor`, for a request that accepts a stream. */
export async function subscribeFor(
  state: RequestState,
  { engine, createContext, budgets }: HttpServices,
  operation: Parameters<Engine['subscribe']>[0],
): Promise<Answer | EventStream> {
  const identity = state.checkedIdentity
  const holding = new Reservation(budgets.streams, identity.caller.accountCode)
  const context = createContext(state, identity)
  const answer = await engine.subscribe(operation, context, bytes => {
    holding.resize(bytes)
    state.atEnd(() => holding.release())
  })
  if ('events' in answer) state.beginStream()
  return answer
}
