import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { RostrumError } from '../../errors.ts'
import { newGuid } from '../../guid.ts'
import { ArrivalError } from '../body/arriving-bodies.ts'
import { toProblem } from '../errors/problem.ts'
import { pausedCode } from '../node-internals.ts'
import type { UnreadPacket } from './connection.ts'
import type { Connections } from './connections.ts'
import { arrivalTimeoutMs } from './create-http-server.ts'
import { STATUS_CODES } from './node-http.ts'

const arrivalSeconds = arrivalTimeoutMs / 1_000

interface Fault {
  readonly status: number
  readonly message: string
}

const faults: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers of the request are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    message: `The request did not arrive within ${arrivalSeconds} s.`,
  },
}

const malformed: Fault = { status: 400, message: 'This is not a valid HTTP request.' }

const faultsOfBody: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The trailers after the body are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: `The body did not arrive within ${arrivalSeconds} s.` },
}

const brokenBody: Fault = {
  status: 400,
  message: 'The body ended too early, or its chunks are not valid HTTP.',
}

/**
 * Answers bytes that never became a request (malformed, too large or too slow) and closes the connection. If an earlier
 * request on the connection is still running, its answer is sent first, so that the client matches them correctly. A
 * request with such bytes in its body fails, unless it was answered already.
 * Fastify's own handler does not wait, sends no problem document and no request id.
 */
export function createClientErrorHandler(
  log: Logger,
  connections: Connections,
  count: (status: number) => void,
) {
  const failed = new WeakSet<Duplex>()

  return (error: NodeJS.ErrnoException & UnreadPacket, socket: Socket): void => {
    const connection = connections.of(socket)
    if (error.code === pausedCode) return connection?.keepUnread(error)
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection?.excusesTimeout()) return
    // Ignores later errors of the connection, because nothing after the first fault can be read.
    if (failed.has(socket)) return
    failed.add(socket)
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error)
    if (connection?.isDroppingBody === true) return connection.closeGently()
    answerAfter(connection?.answer ?? null, error.code, socket)
  }

  function answerAfter(before: ServerResponse | null, reason: string | undefined, socket: Socket): void {
    if (before === null) answer(reason, socket)
    // The client has left, as far as the gateway can tell, and began a next request before. What is answered is sent.
    else if (before.req.complete && reason === 'HPE_INVALID_EOF_STATE') socket.end()
    else if (before.req.complete) before.once('close', () => socket.writable && answer(reason, socket))
    else if (before.headersSent) socket.destroy()
    else failBody(before, reason)
  }

  function answer(reason: string | undefined, socket: Socket): void {
    const fault = faults[reason ?? ''] ?? malformed
    const requestId = newGuid()
    const address = socket.remoteAddress ?? null
    log.info({ requestId, address, operation: null, status: fault.status, reason }, 'request')
    count(fault.status)
    connections.of(socket)?.closeGently(writeAnswer(fault, requestId))
  }
}

// Fails the reader of a body, now or once there is one, so that its request is answered, logged and counted like any
// other. A request that reads no body is answered as usual.
function failBody(answer: ServerResponse, code: string | undefined): void {
  const { req } = answer
  answer.shouldKeepAlive = false
  const { status, message } = faultsOfBody[code ?? ''] ?? brokenBody
  // Returns false if nobody reads: without a listener, the error would end the process.
  const fail = () => req.listenerCount('error') > 0 && req.emit('error', new ArrivalError(status, message))
  if (fail()) return
  req.on('newListener', function waitForReader(event) {
    if (event !== 'error') return
    req.off('newListener', waitForReader)
    queueMicrotask(fail)
  })
}

// Writes the answer as text, because Node has no response object for bytes that are no request.
function writeAnswer({ status, message }: Fault, requestId: string): string {
  const body = JSON.stringify(toProblem(new RostrumError('BAD_USER_INPUT', message), status))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
