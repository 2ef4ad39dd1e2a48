import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { ContextSource, Identity } from '../../context.ts'
import { RostrumError } from '../../errors.ts'
import type { Holding } from '../../limits/holding.ts'
import type { WriteRecord } from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState
  }
}

/** Where the lines of requests go: each one's own, and whatever else is said of it. */
export interface RequestLogs {
  readonly system: Logger
  readonly writeRecord: WriteRecord
}

const nothing = () => undefined

/**
 * What one HTTP request gathers on its way, for its context and its log line: an id of our own making, and a signal for the
 * client that goes away. Signal and log are made for those who ask for them; most requests end without.
 */
export class RequestState implements ContextSource {
  readonly requestId: string = randomUUID()
  /** Null until the credential was checked, and on paths that need none. */
  identity: Identity | null = null
  /** For the log line: the route, until it is known which GraphQL operation it is. */
  operation: string | null
  /** For the log line: the transaction of a task that the request ran. */
  txnId: string | null = null
  /** The key under which what the request does is done once. */
  idempotencyKey: string | null = null
  /** Gives back what was kept for the run that the request asks for, once the run itself counts. */
  releaseRunPlace: () => void = nothing
  /** What the request's body takes in memory; null where none is read. */
  heldBody: Holding | null = null
  /** SHA-256 of the body's bytes, of a request with an idempotency key. */
  bodyDigest: Buffer | null = null
  /** Gives back the request's turn, and what its body held. */
  endTurn: () => void = nothing
  /** Whether its answer lasts until somebody ends it. */
  isStream = false
  readonly #startedAt = performance.now()
  readonly #reply: FastifyReply
  readonly #systemLog: Logger
  readonly #writeRecord: WriteRecord
  #log: Logger | null = null
  #gone: AbortController | null = null
  #isAborted = false
  #endings: (() => void)[] | null = null

  constructor(request: FastifyRequest, reply: FastifyReply, { system, writeRecord }: RequestLogs) {
    this.operation = routeOf(request)
    this.#reply = reply
    this.#systemLog = system
    this.#writeRecord = writeRecord
    reply.raw.on('close', () => this.#close())
  }

  get log(): Logger {
    this.#log ??= this.#systemLog.child({ requestId: this.requestId })
    return this.#log
  }

  /** Aborted when the client's connection is gone before it has its answer. */
  get signal(): AbortSignal {
    if (this.#gone === null) {
      this.#gone = new AbortController()
      if (this.#isAborted) this.#gone.abort(goneAway())
    }
    return this.#gone.signal
  }

  readonly onRun: ContextSource['onRun'] = ({ transaction }) => {
    this.txnId = transaction.txnID
    this.releaseRunPlace()
  }

  /** For a request whose answer is a stream: it holds its connection from then on, not a turn. */
  beginStream(): void {
    this.isStream = true
    this.endTurn()
  }

  /** Has the connection closed after the answer. */
  closeConnection(): void {
    this.#reply.raw.shouldKeepAlive = false
  }

  /** Calls this once the connection is done with the answer; at once where it is gone, since nobody hears of its end then. */
  atEnd(ending: () => void): void {
    if (this.#reply.raw.destroyed) ending()
    else if (this.#endings === null) this.#endings = [ending]
    else this.#endings.push(ending)
  }

  // The one log line is written here, whether the answer was read or not.
  #close(): void {
    const { raw, statusCode } = this.#reply
    this.#isAborted = !raw.writableFinished
    if (this.#isAborted) this.#gone?.abort(goneAway())
    this.#writeRecord({
      requestId: this.requestId,
      account: this.identity?.caller.accountCode ?? null,
      operation: this.operation,
      // Null for an answer that nobody was there to get.
      status: raw.headersSent ? statusCode : null,
      durationMs: Math.round((performance.now() - this.#startedAt) * 100) / 100,
      txnID: this.txnId,
      aborted: this.#isAborted,
    })
    for (const ending of this.#endings ?? []) ending()
  }
}

/** Starts the scope of a request; its id goes into `x-request-id`. */
export function beginRequest(request: FastifyRequest, reply: FastifyReply, logs: RequestLogs): void {
  request.state = new RequestState(request, reply, logs)
  reply.header('x-request-id', request.state.requestId)
}

function goneAway(): RostrumError {
  return new RostrumError('OVERLOADED', 'The client has gone away.')
}

// The row of the REST table, for one. Null where no route took the request.
function routeOf({ method, routeOptions }: FastifyRequest): string | null {
  return routeOptions.url === undefined ? null : `${method} ${routeOptions.url}`
}
