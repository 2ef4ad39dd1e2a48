import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { LRUCache } from 'lru-cache'
import type { ServerSocket } from '../node-internals.ts'
import { digestCredential } from '../request/authenticate-request.ts'
import { ArrivalTurns } from './arrival-turns.ts'
import { Connection, type ConnectionOwner } from './connection.ts'
import { type ConnectionLimits, ConnectionPlaces } from './connection-places.ts'

/** Maximum number of consecutive answers without a valid credential. Then the connection is closed. */
const maxAnswersWithoutCredential = 32
// Maximum bytes of pipelined requests that wait for their turn. A client that pipelines usually has less than 64 KiB
// waiting.
const maxUnreadBytes = 64 * 2 ** 20

/** An HTTP server with the option `pauseOnConnect`, which `net.Server` has and `http.createServer` does not take. */
type PausingServer = Server & { pauseOnConnect?: boolean }

interface ConnectionOptions {
  /** The time within which a request must arrive. */
  readonly arrivalTimeoutMs: number
  /** Called for each new connection. */
  readonly onConnection?: () => void
  readonly limits?: ConnectionLimits
}

/**
 * All connections of the server. Until a credential is found valid, a request counts toward its connection: the
 * connection takes turns with the others, gets a limited number of answers, and is closed if too many newer connections
 * come.
 */
export class Connections implements ConnectionOwner {
  readonly #bySocket = new WeakMap<Duplex, Connection>()
  readonly #turns = new ArrivalTurns()
  readonly #places: ConnectionPlaces
  // Digests of recently valid credentials. Requests with one of them do not wait for requests without.
  readonly #known = new LRUCache<string, true>({ max: 10_000 })
  readonly #arrivalTimeoutMs: number
  readonly #onConnection: () => void
  #unreadBytes = 0

  constructor({ arrivalTimeoutMs, onConnection = () => undefined, limits }: ConnectionOptions) {
    this.#arrivalTimeoutMs = arrivalTimeoutMs
    this.#onConnection = onConnection
    this.#places = new ConnectionPlaces(limits)
  }

  of(socket: Duplex): Connection | undefined {
    return this.#bySocket.get(socket)
  }

  /** Adds each connection of a server. Its first read waits for its turn. */
  watch(server: PausingServer): void {
    server.pauseOnConnect = true
    server.on('connection', socket => this.#add(socket as ServerSocket))
  }

  /** Passes a request to `handle` in its turn. */
  pass(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
    const connection = this.#bySocket.get(request.socket)
    connection?.begin(response)
    if (connection === undefined || connection.accountCode !== null) return handle(request, response)
    if (this.#turns.areWaitedFor && this.#isKnown(request)) return handle(request, response)
    this.#turns.take(() => {
      if (!response.destroyed) handle(request, response)
    })
  }

  /** Counts the connection toward the account of a valid credential from now on. */
  trust(request: IncomingMessage, accountCode: string): void {
    if (this.trustOnce(request, accountCode)) this.#known.set(digestCredential(request) ?? '', true)
  }

  /** Counts the connection toward the account of a signed request, which has no credential. False if it did already. */
  trustOnce(request: IncomingMessage, accountCode: string): boolean {
    const connection = this.#bySocket.get(request.socket)
    if (connection === undefined || connection.accountCode === accountCode) return false
    this.#places.enter(connection, accountCode)
    return true
  }

  /** Counts an answer. Returns true if the connection must be closed after it. */
  countAnswer(request: IncomingMessage, hasCredential: boolean): boolean {
    const connection = this.#bySocket.get(request.socket)
    if (connection === undefined) return false
    // True if a chunked body was answered before its end. Closing the connection is cheaper than reading the rest.
    const isUnfinished = !request.complete && request.headers['transfer-encoding'] !== undefined
    const isLast = isUnfinished || connection.hasLongHead
    if (hasCredential) {
      connection.answersWithoutCredential = 0
      return isLast
    }
    if (connection.accountCode !== null) this.#places.enter(connection, null)
    this.#known.delete(digestCredential(request) ?? '')
    return ++connection.answersWithoutCredential >= maxAnswersWithoutCredential || isLast
  }

  takeTurn({ accountCode }: Connection, next: () => void): void {
    if (accountCode !== null) setImmediate(next)
    else this.#turns.wait(next)
  }

  takeArrivalTurn(work: () => void): void {
    this.#turns.wait(work)
  }

  reserveUnread(bytes: number): boolean {
    if (this.#unreadBytes + bytes > maxUnreadBytes) return false
    this.#unreadBytes += bytes
    return true
  }

  releaseUnread(bytes: number): void {
    this.#unreadBytes -= bytes
  }

  limitArrival({ socket }: Connection, request: IncomingMessage): void {
    if (request.complete) return
    const timer = setTimeout(() => {
      const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      if (!request.complete) socket.server?.emit('clientError', error, socket)
    }, this.#arrivalTimeoutMs)
    request.once('close', () => clearTimeout(timer))
  }

  #isKnown(request: IncomingMessage): boolean {
    const digest = digestCredential(request)
    return digest !== null && this.#known.has(digest)
  }

  #add(socket: ServerSocket): void {
    if (socket.parser === null) return
    const connection = new Connection(socket, socket.parser, this)
    this.#bySocket.set(socket, connection)
    this.#places.enter(connection, null)
    socket.once('close', () => this.#places.leave(connection))
    this.#turns.read(() => socket.resume())
    this.#onConnection()
  }
}
