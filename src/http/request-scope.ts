import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Identity } from '../credentials/authenticator.ts'
import { RostrumError } from '../errors.ts'

/** What one HTTP request gathers on its way, for its context and its log line. */
export interface RequestScope {
  readonly requestId: string
  readonly log: Logger
  /** Aborted when the client's connection is gone before it has its answer. */
  readonly signal: AbortSignal
  /** Null until the credential was checked, and on paths that need none. */
  identity: Identity | null
  /** For the log line: the route, until it is known which GraphQL operation it is. */
  operation: string | null
  /** For the log line: the transaction of a task that the request ran. */
  txnId: string | null
  /** Gives back what was kept for the run that the request asks for, once the run itself counts. */
  releaseRunPlace: () => void
}

declare module 'fastify' {
  interface FastifyRequest {
    scope: RequestScope
  }
}

/**
 * Starts the scope of a request: an id of our own making, in `x-request-id`, and a signal for the client that goes away. Its
 * one log line is written when the connection is done with the answer, whether that was read or not.
 */
export function openScope(request: FastifyRequest, reply: FastifyReply, log: Logger): void {
  const requestId = randomUUID()
  const gone = new AbortController()
  const startedAt = performance.now()
  const scope: RequestScope = {
    requestId,
    log: log.child({ requestId }),
    signal: gone.signal,
    identity: null,
    operation: routeOf(request),
    txnId: null,
    releaseRunPlace: () => undefined,
  }
  request.scope = scope
  reply.header('x-request-id', requestId)
  reply.raw.once('close', () => {
    const aborted = !reply.raw.writableFinished
    if (aborted) gone.abort(new RostrumError('OVERLOADED', 'The client has gone away.'))
    scope.log.info(
      {
        account: scope.identity?.caller.accountCode ?? null,
        operation: scope.operation,
        // Null for an answer that nobody was there to get.
        status: reply.raw.headersSent ? reply.statusCode : null,
        durationMs: Math.round((performance.now() - startedAt) * 100) / 100,
        ...(scope.txnId === null ? {} : { txnID: scope.txnId }),
        ...(aborted ? { aborted } : {}),
      },
      'request',
    )
  })
}

// The row of the REST table, for one. Null where no route took the request.
function routeOf({ method, routeOptions }: FastifyRequest): string | null {
  return routeOptions.url === undefined ? null : `${method} ${routeOptions.url}`
}
