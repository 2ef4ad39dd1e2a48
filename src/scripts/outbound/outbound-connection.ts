import type { LookupFunction, Socket } from 'node:net'
import { buildConnector, Client } from 'undici'
import { OutboundRefusal } from './outbound-address.ts'

const connectTimeoutMs = 5_000
const idleTimeoutMs = 30_000
const maxHeaderBytes = 16 * 2 ** 10
const watchEveryMs = 20
const spareBytes = 2 ** 19

export interface OutboundConnectionOptions {
  readonly lookup: LookupFunction
  /** Returns the number of bytes of the answer's body read so far. */
  readonly answerBytes: () => number
  /** Closes the connection when aborted, even during the look-up and the handshake. */
  readonly signal: AbortSignal
}

/**
 * Opens a connection for one call. It is never reused, so nothing that a host sends after its answer, or remembers
 * about the connection, affects another call. It uses HTTP/1.1 only, because its limits can be set here.
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
    maxHeaderSize: maxHeaderBytes,
  })
}

// Closes a connection that sends too many bytes outside the body, such as early hints, chunk extensions or one-byte
// chunks. Some spare bytes are allowed for what buffers hold.
function watchBytes(socket: Socket, answerBytes: () => number): void {
  const watch = setInterval(() => {
    if (socket.bytesRead <= 2 * answerBytes() + spareBytes) return
    socket.destroy(new OutboundRefusal('the host sent too much data outside the answer'))
  }, watchEveryMs)
  socket.once('close', () => clearInterval(watch))
}
