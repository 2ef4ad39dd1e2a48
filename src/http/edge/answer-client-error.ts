import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { answerInBytes } from '../request/answer-in-bytes.ts'
import type { UnreadPacket } from './connection.ts'
import type { Connections } from './connections.ts'
import { pausedCode } from './node-internals.ts'

const faults: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers of the request are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
}

const malformed = { status: 400, message: 'This is not a request that HTTP allows.' }

/**
 * Answers what never became a request: malformed, too large or too slow. Then closes the connection. What came before it on
 * the same connection has its answer first, or the client would take one for the other.
 */
export function createClientErrorHandler(log: Logger, connections: Connections) {
  const failed = new WeakSet<Duplex>()

  return (error: NodeJS.ErrnoException & UnreadPacket, socket: Socket): void => {
    const connection = connections.of(socket)
    if (error.code === pausedCode) return connection?.keepUnread(error)
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection?.excusesTimeout()) return
    // Whatever else arrives is as unreadable.
    if (failed.has(socket)) return
    failed.add(socket)
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy(error)
      return
    }
    const { status, message } = faults[error.code ?? ''] ?? malformed
    answerAfter(connection?.answer ?? null, socket, () =>
      answerInBytes({ socket, status, message, log, reason: error.code }),
    )
  }
}

function answerAfter(before: ServerResponse | null, socket: Socket, answer: () => void): void {
  if (before === null) answer()
  else if (before.req.complete) before.once('close', () => socket.writable && answer())
  // A body that breaks off is its own request's fault, and this the answer to it.
  else if (before.headersSent) socket.destroy()
  else answer()
}
