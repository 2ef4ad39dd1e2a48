import type { ServerResponse } from 'node:http'
import {
  type AcceptHead,
  type NodeParser,
  paused,
  resumeReading,
  type ServerSocket,
  stopReading,
} from './node-internals.ts'

// No bytes, but a place in memory: the parser takes a null pointer for the end of the connection.
const nothing = Buffer.alloc(1).subarray(1)

const lingerMs = 1_000

interface Held {
  readonly request: Parameters<AcceptHead>[0]
  readonly keepAlive: boolean
}

/** What Node puts into the errors of its parser. */
export interface UnreadPacket {
  readonly rawPacket?: unknown
  readonly bytesParsed?: number | undefined
}

/** What a connection asks of those who know them all. */
export interface ConnectionOwner {
  /** Calls `next` when it is the turn of a request that was held. */
  takeTurn(connection: Connection, next: () => void): void
  /** Counts bytes that were read before their turn; false where too many are held, and they are to be dropped. */
  holdUnread(bytes: number): boolean
  releaseUnread(bytes: number): void
  /** Limits the time in which the rest of a request arrives that was held for longer than Node gives it. */
  limitArrival(connection: Connection, request: Held['request']): void
}

/**
 * One connection, which has one request at a time. The head of the next one (pipelined: sent before the answer) is held, and
 * the bytes after it stay unread, until the answer has been sent and it is the connection's turn. So whatever a client sends at
 * once, the gateway holds one request and one read of the socket for it, and answers keep their order.
 *
 *   free ── head ──> answering ── head ──> answering and holding
 *    ^                │   ^                          │
 *    └─ answer sent ──┘   └──── turn ── answer sent ─┘
 */
export class Connection {
  /** Of the good credential that its latest request came with; null where it came without. */
  accountCode: string | null = null
  /** Answers since then. */
  answersWithoutCredential = 0
  readonly socket: ServerSocket
  readonly #owner: ConnectionOwner
  readonly #parser: NodeParser
  readonly #accept: AcceptHead
  #isFree = true
  /** What was read of the socket when its latest answer had been sent. */
  #bytesBefore = 0
  /** No further request is taken: the one in front is answered, and the connection closed. */
  #isOver = false
  #isStopped = false
  #missedTimeout = false
  #answer: ServerResponse | null = null
  #held: Held | null = null
  #unread: Buffer = nothing

  constructor(socket: ServerSocket, parser: NodeParser, owner: ConnectionOwner) {
    this.socket = socket
    this.#parser = parser
    this.#owner = owner
    this.#accept = parser.onIncoming
    parser.onIncoming = this.#meetHead
    socket.once('close', () => this.#takeUnread())
  }

  /** The answer that is not sent yet. */
  get answer(): ServerResponse | null {
    return this.#answer
  }

  /** What has come of a request that is not whole yet, about. */
  get headBytes(): number {
    return this.#isFree ? this.socket.bytesRead - this.#bytesBefore : 0
  }

  /** To be called with the answer of each request that Node gives out. */
  begin(answer: ServerResponse): void {
    this.#answer = answer
    answer.once('close', this.#end)
  }

  /** Takes what Node reports as an error after a head was held. */
  keepUnread({ rawPacket, bytesParsed }: UnreadPacket): void {
    if (this.#held === null || !Buffer.isBuffer(rawPacket)) return
    const rest = rawPacket.subarray(bytesParsed)
    if (!this.#owner.holdUnread(rest.length)) return this.#closeAfterAnswer()
    // The packet is a copy of what was read: most of it is kept as it is, a small rest is copied again.
    const isMost = rest.length > rawPacket.length / 2
    this.#unread = rest.length === 0 ? nothing : isMost ? rest : Buffer.from(rest)
  }

  /** Node's time for a request runs while it is held: true where that is why it has run out. */
  excusesTimeout(): boolean {
    if (this.#held === null) return false
    this.#missedTimeout = true
    return true
  }

  readonly #meetHead: AcceptHead = (request, keepAlive) => {
    const isLast = !keepAlive || this.#losesWhatFollows(request)
    if (this.#isFree) return this.#begin({ request, keepAlive: !isLast })
    if (!this.#isOver) this.#held = { request, keepAlive: !isLast }
    this.#isStopped = true
    stopReading(this.socket)
    this.socket.destroySoon = () => this.#closeGently()
    return paused
  }

  // Node drops what it has read after a request that asks for another protocol. Nobody here speaks one: it is a request like others,
  // but what follows it in the same read is lost.
  #losesWhatFollows(request: Held['request']): boolean {
    if (!request.upgrade) return false
    request.upgrade = false
    if (request.method === 'CONNECT' || !this.#isFree) return true
    const read = this.#parser.getCurrentBuffer()
    return read.indexOf('\r\n\r\n') + 4 !== read.length
  }

  #begin({ request, keepAlive }: Held): number {
    this.#isFree = false
    this.#isOver = !keepAlive
    return this.#accept(request, keepAlive)
  }

  readonly #end = (): void => {
    this.#answer = null
    this.#bytesBefore = this.socket.bytesRead
    if (!this.socket.writable) return
    if (this.#isOver) this.#closeGently()
    else if (this.#held === null) this.#isFree = true
    else this.#owner.takeTurn(this, this.#next)
  }

  readonly #next = (): void => {
    const held = this.#held
    if (held === null || !this.#isOpen()) return
    const unread = this.#takeUnread()
    this.#held = null
    this.#parser.resume()
    this.#begin(held)
    if (!this.#isOpen()) return
    this.#isStopped = false
    // Node's own pause is over: there is one answer at a time, and the last has been sent.
    this.socket._paused = false
    this.socket.emit('data', unread)
    if (!this.#isStopped) resumeReading(this.socket)
    if (this.#missedTimeout) this.#owner.limitArrival(this, held.request)
    this.#missedTimeout = false
  }

  #isOpen(): boolean {
    return this.socket.writable && this.socket.parser === this.#parser
  }

  #takeUnread(): Buffer {
    const unread = this.#unread
    this.#unread = nothing
    this.#owner.releaseUnread(unread.length)
    return unread
  }

  #closeAfterAnswer(): void {
    this.#isOver = true
    this.#held = null
    if (this.#answer !== null && !this.#answer.headersSent) this.#answer.shouldKeepAlive = false
  }

  // A socket that is closed with bytes unread is reset, and the client loses answers that it has not read yet.
  #closeGently(): void {
    const { socket } = this
    this.#isOver = true
    this.#held = null
    this.#takeUnread()
    Reflect.deleteProperty(socket, 'destroySoon')
    socket.end()
    socket.removeAllListeners('data').on('data', () => undefined)
    resumeReading(socket)
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
  }
}
