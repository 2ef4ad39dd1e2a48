import type { ServerResponse } from 'node:http'
import {
  type AcceptHead,
  type NodeParser,
  paused,
  readUnparsed,
  resumeReading,
  type ServerSocket,
  stopReading,
} from '../node-internals.ts'

// An empty buffer that still has an address. For a null pointer, the parser would end the connection.
const nothing = Buffer.alloc(1).subarray(1)

// A closed connection is read on until no bytes have come for this time, and no longer than `maxLingerMs`.
const lingerMs = 1_000
const maxLingerMs = 10_000

// Maximum bytes that are parsed without a pause. 4 KiB can be 700 chunks of one byte, which take a millisecond.
const maxSlice = 4 * 2 ** 10

// Node's parser keeps the text of a head until the next head. After a head longer than this the connection is closed,
// and a pipelined head longer than this is not held.
const maxHeldHead = 32 * 2 ** 10

// While a head is held, the socket is read until this many bytes are unread. So a client that leaves is noticed.
const maxWatched = 16 * 2 ** 10

interface Held {
  readonly request: Parameters<AcceptHead>[0]
  readonly keepAlive: boolean
}

/** The fields that Node adds to errors of its parser. */
export interface UnreadPacket {
  readonly rawPacket?: unknown
  readonly bytesParsed?: number | undefined
}

/** What a connection needs from the owner of all connections. */
export interface ConnectionOwner {
  /** Calls `next` when it is the turn of the connection's held request. */
  takeTurn(connection: Connection, next: () => void): void
  /** Calls `work` in turn with requests that have no credential, even if this connection has one. */
  takeArrivalTurn(work: () => void): void
  /** Counts bytes that were read before their turn. Returns false if the gateway holds too many; then drop them. */
  reserveUnread(bytes: number): boolean
  releaseUnread(bytes: number): void
  /** Limits the time for the rest of a request that was held longer than Node's own timeout. */
  limitArrival(connection: Connection, request: Held['request']): void
}

/**
 * One connection, which has one request at a time. The head of the next request (pipelined: sent before the answer) is
 * held, and the bytes after it are not parsed, until the answer was sent and it is the connection's turn. The gateway
 * holds one request and two reads of the socket for each connection, and answers keep their order.
 *
 *   free ── head ──> answering ── head ──> answering and holding
 *    ^                │   ^                          │
 *    └─ answer sent ──┘   └──── turn ── answer sent ─┘
 */
export class Connection {
  /** The account of its latest request's valid credential; null if that request had none. */
  accountCode: string | null = null
  /** Number of answers since its last valid credential. */
  answersWithoutCredential = 0
  readonly socket: ServerSocket
  readonly #owner: ConnectionOwner
  readonly #parser: NodeParser
  readonly #accept: AcceptHead
  #isFree = true
  /** Number of bytes that were read from the socket before its latest answer was sent. */
  #bytesBefore = 0
  /** Bytes of the head of the request that is being answered; 0 if the head is short. */
  #headBytes = 0
  /** True if the connection is closed after the current answer. */
  #isOver = false
  #isClosing = false
  #isStopped = false
  #missedTimeout = false
  #answer: ServerResponse | null = null
  /** The latest request, if it was answered before its body has arrived. */
  #answeredEarly: Held['request'] | null = null
  #held: Held | null = null
  #unread: Buffer = nothing
  /** Ends the watch of the socket; null if it is not watched. */
  #unwatch: (() => void) | null = null

  constructor(socket: ServerSocket, parser: NodeParser, owner: ConnectionOwner) {
    this.socket = socket
    this.#parser = parser
    this.#owner = owner
    this.#accept = parser.onIncoming
    parser.onIncoming = this.#meetHead
    // Node calls this after the last answer.
    socket.destroySoon = () => this.closeGently()
    socket.once('close', () => this.#takeUnread())
  }

  /** The answer that is being prepared or sent; null if there is none. */
  get answer(): ServerResponse | null {
    return this.#answer
  }

  /** True while the rest of a body arrives whose request was answered already. */
  get isDroppingBody(): boolean {
    return this.#answeredEarly?.complete === false
  }

  /** Approximate bytes of the incomplete request, or of the long head that is being answered. */
  get headBytes(): number {
    return this.#isFree ? this.socket.bytesRead - this.#bytesBefore : this.#headBytes
  }

  /** True if the request that is being answered has a long head, which must not stay in memory. */
  get hasLongHead(): boolean {
    return this.#headBytes > 0
  }

  /** Notes the answer of a request that Node has emitted. */
  begin(answer: ServerResponse): void {
    this.#answer = answer
    answer.once('close', this.#end)
  }

  /** Keeps the unread bytes, which Node reports as an error after parsing was paused at a held head. */
  keepUnread({ rawPacket, bytesParsed }: UnreadPacket): void {
    if (this.#held === null || !Buffer.isBuffer(rawPacket)) return
    const rest = rawPacket.subarray(bytesParsed)
    if (!this.#owner.reserveUnread(rest.length)) return this.#closeAfterAnswer()
    // The packet is a copy of what was read. If the unread rest is small, it is copied, so that the packet can be
    // freed.
    const isMost = rest.length > rawPacket.length / 2
    const kept = isMost ? rest : Buffer.from(rest)
    // The packet is the slice that was being parsed. The bytes after it are in `#unread` already.
    this.#unread = this.#unread.length === 0 ? kept : Buffer.concat([kept, this.#unread])
    if (this.#answer !== null) this.#watch()
  }

  /** Returns true if Node's request timeout ran out only because this connection held the request. */
  excusesTimeout(): boolean {
    if (this.#held === null) return false
    this.#missedTimeout = true
    return true
  }

  /**
   * Sends the last bytes, if any, and closes the connection. Bytes that still come are dropped for a while: closing a
   * socket with unread bytes would reset the connection, and the client would lose answers that it has not read yet.
   */
  closeGently(lastBytes = ''): void {
    if (this.#isClosing) return
    const { socket } = this
    this.#isClosing = true
    this.#isOver = true
    this.#held = null
    this.#unwatch?.()
    this.#takeUnread()
    socket.end(lastBytes)
    socket.removeAllListeners('data').on('data', this.#drop)
    resumeReading(socket)
    const endsAt = performance.now() + maxLingerMs
    let { bytesRead } = socket
    const timer = setInterval(() => {
      if (socket.bytesRead === bytesRead || performance.now() >= endsAt) socket.destroy()
      bytesRead = socket.bytesRead
    }, lingerMs)
    socket.once('close', () => clearInterval(timer))
  }

  // Drops a read of the closed connection. Without the stop, Node would read on as long as bytes come.
  readonly #drop = (): void => {
    stopReading(this.socket)
    this.#owner.takeArrivalTurn(() => resumeReading(this.socket))
  }

  readonly #meetHead: AcceptHead = (request, keepAlive) => {
    const isLast = !keepAlive || this.#losesWhatFollows(request)
    const isChunked = request.headers['transfer-encoding'] !== undefined
    if (this.#isFree && !isChunked) return this.#begin({ request, keepAlive: !isLast })
    if (this.#isFree) return this.#holdChunked({ request, keepAlive: !isLast })
    if (measureHead(request) > maxHeldHead) this.#closeAfterAnswer()
    else if (!this.#isOver) this.#held = { request, keepAlive: !isLast }
    return this.#stop()
  }

  // Holds a request whose body comes in chunks, so that the bytes read with its head are parsed in slices: they may be
  // ten thousand chunks.
  #holdChunked(held: Held): number {
    this.#isFree = false
    this.#headBytes = 0
    this.#held = held
    this.#owner.takeTurn(this, this.#next)
    return this.#stop()
  }

  // Reads on while the next request is held, without parsing. Else nobody would notice that the client has left, and
  // the request that is being answered would outlive it.
  #watch(): void {
    if (this.#unread.length > maxWatched) return
    const stop = readUnparsed(this.socket, bytes => {
      if (!this.#owner.reserveUnread(bytes.length)) return this.#closeAfterAnswer()
      this.#unread = Buffer.concat([this.#unread, bytes])
      if (this.#unread.length > maxWatched) this.#unwatch?.()
    })
    this.#unwatch = () => {
      this.#unwatch = null
      stop()
    }
  }

  #stop(): number {
    this.#isStopped = true
    stopReading(this.socket)
    return paused
  }

  // True if bytes after this request are lost. Node drops the bytes after an upgrade request. This server supports no
  // upgrade and handles it like any other request, but it cannot restore bytes from the same read.
  #losesWhatFollows(request: Held['request']): boolean {
    if (!request.upgrade) return false
    request.upgrade = false
    if (request.method === 'CONNECT' || !this.#isFree) return true
    const read = this.#parser.getCurrentBuffer()
    return read.indexOf('\r\n\r\n') + 4 !== read.length
  }

  #begin({ request, keepAlive }: Held): number {
    const mayBeLong = this.socket.bytesRead - this.#bytesBefore > maxHeldHead
    const headBytes = mayBeLong ? measureHead(request) : 0
    this.#headBytes = headBytes > maxHeldHead ? headBytes : 0
    this.#isFree = false
    this.#isOver = !keepAlive
    return this.#accept(request, keepAlive)
  }

  readonly #end = (): void => {
    const request = this.#answer?.req
    this.#answeredEarly = request?.complete === false ? request : null
    this.#answer = null
    this.#bytesBefore = this.socket.bytesRead
    if (!this.socket.writable) return
    if (this.#isOver) this.closeGently()
    else if (this.#held === null) this.#isFree = true
    else this.#owner.takeTurn(this, this.#next)
  }

  readonly #next = (): void => {
    const held = this.#held
    if (held === null || !this.#isOpen()) return
    this.#held = null
    this.#unwatch?.()
    this.#parser.resume()
    this.#begin(held)
    if (!this.#isOpen()) return
    // Lets Node resume reading. The last answer was sent, and the connection has one answer at a time.
    this.socket._paused = false
    this.#parse()
    if (this.#missedTimeout) this.#owner.limitArrival(this, held.request)
    this.#missedTimeout = false
  }

  // Parses a slice of the held bytes. Further slices, and new bytes from the socket, follow in later turns.
  readonly #parse = (): void => {
    if (!this.#isOpen()) return
    const slice = this.#unread.subarray(0, maxSlice)
    this.#unread = this.#unread.subarray(slice.length)
    this.#owner.releaseUnread(slice.length)
    this.#isStopped = false
    this.socket.emit('data', slice)
    if (this.#isStopped || !this.#isOpen()) return
    if (this.#unread.length > 0) this.#owner.takeArrivalTurn(this.#parse)
    else resumeReading(this.socket)
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
    if (this.#answer === null) return this.closeGently()
    this.#isOver = true
    this.#held = null
    this.#unwatch?.()
    if (!this.#answer.headersSent) this.#answer.shouldKeepAlive = false
  }
}

function measureHead({ url = '', rawHeaders }: Held['request']): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length, url.length)
}
