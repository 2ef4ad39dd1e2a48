import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { answerInBytes } from './answer-in-bytes.ts'

const faults: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers of the request are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
}

const malformed = { status: 400, message: 'This is not a request that HTTP allows.' }

/**
 * Answers what never became a request: malformed, too large or too slow. Then closes the connection. What came before it on
 * the same connection has its answer first, or the client would take one for the other.
 */
export function createClientErrorHandler(log: Logger) {
  const unanswered = new WeakMap<Duplex, Set<ServerResponse>>()
  const failed = new WeakSet<Duplex>()

  function watch(server: Server): void {
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const responses = unanswered.get(socket) ?? new Set()
      unanswered.set(socket, responses.add(response))
      response.on('close', () => responses.delete(response))
    })
  }

  function handle(error: NodeJS.ErrnoException, socket: Socket): void {
    // Whatever else arrives is as unreadable.
    if (failed.has(socket)) return
    failed.add(socket)
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy(error)
      return
    }
    const { status, message } = faults[error.code ?? ''] ?? malformed
    answerBehind(socket, () => answerInBytes({ socket, status, message, log, reason: error.code }))
  }

  function answerBehind(socket: Socket, answer: () => void): void {
    const before = [...(unanswered.get(socket) ?? [])]
    // A body that breaks off is its own request's fault, and this the answer to it.
    const broken = before.findIndex(({ req }) => !req.complete)
    const last = broken === -1 ? before.at(-1) : before[broken - 1]
    if (before[broken]?.headersSent) socket.destroy()
    else if (last === undefined) answer()
    else last.once('close', () => socket.writable && answer())
  }

  return { watch, handle }
}

/** Answers `CONNECT`, for which Node would close the connection without a word. */
export function createConnectListener(log: Logger) {
  return (_request: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => socket.destroy())
    answerInBytes({ socket, status: 400, message: 'This is no proxy.', log, reason: 'CONNECT' })
  }
}
