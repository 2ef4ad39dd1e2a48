import type { LookupFunction, Socket } from 'node:net'
import { buildConnector, Client } from 'undici'
import { OutboundRefusal } from './outbound-address.ts'

const connectTimeoutMs = 5_000
const idleTimeoutMs = 30_000
const mostHeaderBytes = 16 * 2 ** 10
const watchEveryMs = 20
const spareBytes = 2 ** 19

export interface OutboundConnectionOptions {
  readonly lookup: LookupFunction
  /** How much of the answer's body has been read. */
  readonly answerBytes: () => number
  /** Ends it in whatever state it is, name look-up and handshake included. */
  readonly signal: AbortSignal
}

/**
 * A connection for one call. It is never used again: what a host sends behind its answer, or remembers of a connection,
 * reaches no other call, run or account. HTTP/1.1 alone, whose bounds are ours.
 */
export function openConnection(origin: string, options: OutboundConnectionOptions): Client {
  const { lookup, answerBytes, signal } = options
  const connect = buildConnector({
    lookup,
    signal,
    timeout: connectTimeoutMs,
    allowH2: false,
    maxCachedSessions: 0,
  })
  return new Client(origin, {
    connect: (target, callback) =>
      connect(target, (...opened) => {
        if (opened[0] === null) watchBytes(opened[1], answerBytes)
        callback(...opened)
      }),
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    maxHeaderSize: mostHeaderBytes,
  })
}

// A host may send without end what is no part of an answer: hints, extensions of chunks, a chunk for every byte. What
// buffers hold on the way is well within the spare bytes.
function watchBytes(socket: Socket, answerBytes: () => number): void {
  const watch = setInterval(() => {
    if (socket.bytesRead <= 2 * answerBytes() + spareBytes) return
    socket.destroy(new OutboundRefusal('the host sent too much that is no part of an answer'))
  }, watchEveryMs)
  socket.once('close', () => clearInterval(watch))
}
