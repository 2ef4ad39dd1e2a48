import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { BoundLog } from '../../bound-log.ts'
import type { ContextSource, Identity } from '../../context.ts'
import type { RunFollower } from '../../domain/scripts/run-follower.ts'
import { clientGone, gatewayStopped } from '../../errors.ts'
import type { Reservation } from '../../fairness/reservation.ts'
import { newGuid } from '../../guid.ts'
import type { Counts } from '../../metrics/counts.ts'
import { LateSignal } from '../../signals/late-signal.ts'
import { beginRequestSpan, endRequestSpan } from '../../tracing/request-spans.ts'
import type { Span, Tracing } from '../../tracing/span.ts'
import type { WriteRecord } from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState
  }
}

/** The log of a request, the writer of its single line, and its traces. */
export interface RequestLogs {
  readonly system: Logger
  readonly writeRecord: WriteRecord
  readonly counts: Counts
  /** True once the gateway, which stops, has closed all connections. */
  readonly hasCutOff: () => boolean
  /** Null if no traces are sent. */
  readonly tracing: Tracing | null
}

const nothing = () => undefined

/**
 * The state of one HTTP request, for its context and its log line. Its signal and its log are created on first use,
 * because most requests need neither.
 */
export class RequestState implements ContextSource {
  readonly requestId: string = newGuid()
  /** The identity of the caller. Null until the credential was checked, and on paths that need none. */
  identity: Identity | null = null
  /** The route, then the GraphQL operation once it is known; for the log line. */
  operation: string | null
  /** True if the GraphQL document was refused. The status of the answer then depends on its media type. */
  isDocumentRefused = false
  /** Follows the run of the request, if its answer is a stream. */
  follower: RunFollower | null = null
  /** The document of a script, if it was checked with the body: it is JSON. */
  knownJson: string | null = null
  /** The transaction of a script that the request ran; for the log line. */
  txnId: string | null = null
  /** The key under which the request's changes are made only once; null without one. */
  idempotencyKey: string | null = null
  /** Releases the place that was reserved for the request's run. Called when the run itself is counted. */
  releaseRunPlace: () => void = nothing
  /** The reserved memory of the request body; null if no body is read. */
  heldBody: Reservation | null = null
  /** Secret texts that the answer shows once. */
  readonly secrets: string[] = []
  /** SHA-256 of the body, for a request with an idempotency key. */
  bodyDigest: Buffer | null = null
  /** Ends the turn of the request and releases its body. */
  endTurn: () => void = nothing
  /** The span of the request; null if no traces are sent. */
  readonly span: Span | null
  /** True if its answer is a stream. */
  isStream = false
  readonly #startedAt = performance.now()
  readonly #counts: Counts
  readonly #hasCutOff: () => boolean
  readonly #method: string
  readonly #address: string
  readonly #route: string | null
  readonly #reply: FastifyReply
  readonly #systemLog: Logger
  readonly #writeRecord: WriteRecord
  #log: BoundLog | null = null
  readonly #gone = new LateSignal()
  #endings: (() => void)[] | null = null

  constructor(request: FastifyRequest, reply: FastifyReply, logs: RequestLogs) {
    const { system, writeRecord, counts, hasCutOff, tracing } = logs
    this.#counts = counts
    this.#hasCutOff = hasCutOff
    this.#method = request.method
    this.#address = request.ip
    this.#route = request.routeOptions.url ?? null
    this.operation = this.#route === null ? null : `${request.method} ${this.#route}`
    this.span = tracing === null ? null : beginSpan(tracing, request)
    this.#reply = reply
    this.#systemLog = system
    this.#writeRecord = writeRecord
    reply.raw.on('close', () => this.#close())
  }

  /** The identity of the caller. Throws on a path that checks no credential. */
  get checkedIdentity(): Identity {
    if (this.identity === null) throw new Error('No credential was checked on this path.')
    return this.identity
  }

  get log(): BoundLog {
    this.#log ??= new BoundLog(this.#systemLog, {
      requestId: this.requestId,
      ...(this.span !== null && { traceId: this.span.traceId }),
    })
    return this.#log
  }

  /** The signal that is aborted if the client disconnects, or the gateway cuts it off, before it has its answer. */
  get signal(): AbortSignal {
    return this.#gone.signal
  }

  readonly onRun: ContextSource['onRun'] = ({ transaction }) => {
    this.txnId = transaction.txnID
    this.releaseRunPlace()
  }

  onSecret(secret: string): void {
    this.secrets.push(secret)
  }

  /** Answers with a stream, which keeps its connection but no turn. */
  beginStream(): void {
    this.countStream()
    this.endTurn()
  }

  /** Counts an answer that is a stream, until it ends. The client may have disconnected before. */
  countStream(): void {
    this.isStream = true
    this.#counts.streams++
    this.atEnd(() => this.#counts.streams--)
  }

  /** Closes the connection after the answer. */
  closeConnection(): void {
    this.#reply.raw.shouldKeepAlive = false
  }

  /**
   * Calls `ending` when the answer is sent or the client has disconnected; at once if that has happened already. So
   * reserve what `ending` releases before this call.
   */
  atEnd(ending: () => void): void {
    if (this.#reply.raw.destroyed) ending()
    else if (this.#endings === null) this.#endings = [ending]
    else this.#endings.push(ending)
  }

  // Writes the log line, whether or not the client has read the answer.
  #close(): void {
    const { raw, statusCode } = this.#reply
    const isAborted = !raw.writableFinished
    if (isAborted) this.#gone.abort(this.#hasCutOff() ? gatewayStopped() : clientGone())
    // Null if the client disconnected before it got an answer.
    const status = raw.headersSent ? statusCode : null
    const milliseconds = performance.now() - this.#startedAt
    this.#counts.countRequest(this.#method, this.#route, status, milliseconds)
    this.#writeRecord({
      requestId: this.requestId,
      account: this.identity?.caller.accountCode ?? null,
      token: this.identity?.caller.tokenId ?? null,
      user: this.identity?.caller.userId ?? null,
      address: this.#address,
      operation: this.operation,
      status,
      durationMs: Math.round(milliseconds * 100) / 100,
      txnID: this.txnId,
      aborted: isAborted,
      traceId: this.span?.traceId ?? null,
    })
    if (this.span !== null) endRequestSpan(this.span, status)
    for (const ending of this.#endings ?? []) ending()
  }
}

/**
 * Creates the state of a request. Its id is sent as `x-request-id`. A route whose answer holds no data of an account
 * replaces `no-store`: a browser would give a stored answer to the next person, without asking for a credential.
 */
export function beginRequest(request: FastifyRequest, reply: FastifyReply, logs: RequestLogs): void {
  request.state = new RequestState(request, reply, logs)
  reply.header('x-request-id', request.state.requestId).header('cache-control', 'no-store')
}

function beginSpan(tracing: Tracing, { method, routeOptions, params, headers }: FastifyRequest): Span {
  const { traceparent } = headers
  return beginRequestSpan(tracing, {
    method,
    route: routeOptions.url,
    parameters: (params ?? {}) as Readonly<Record<string, unknown>>,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  })
}
