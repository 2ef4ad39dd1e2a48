import type { LookupFunction, Socket } from 'node:net'
import { buildConnector, Client } from 'undici'
import { OutboundRefusal } from './outbound-address.ts'

const connectTimeoutMs = 5_000
const idleTimeoutMs = 30_000
const mostHeaderBytes = 16 * 2 ** 10
const watchEveryMs = 20

export interface OutboundConnectionOptions {
  readonly lookup: LookupFunction
  /** Most bytes that may come over it, whatever they are: headers without end, extensions of chunks, padding. */
  readonly mostWireBytes: number
  /** Ends it in whatever state it is, name look-up and handshake included. */
  readonly signal: AbortSignal
}

/**
 * A connection for one call. It is never used again: what a host sends behind its answer, or remembers of a connection,
 * reaches no other call, run or account. HTTP/1.1 alone, whose bounds are ours.
 */
export function openConnection(origin: string, options: OutboundConnectionOptions): Client {
  const { lookup, mostWireBytes, signal } = options
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
        if (opened[0] === null) watchBytes(opened[1], mostWireBytes)
        callback(...opened)
      }),
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    maxHeaderSize: mostHeaderBytes,
  })
}

function watchBytes(socket: Socket, most: number): void {
  const watch = setInterval(() => {
    if (socket.bytesRead > most) socket.destroy(new OutboundRefusal(`the host sent more than ${most} bytes`))
  }, watchEveryMs)
  socket.once('close', () => clearInterval(watch))
}
