import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { toProblem } from './problem.ts'

const faults: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers of the request are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
}

const malformed = { status: 400, message: 'This is not a request that HTTP allows.' }

/** Answers what never became a request: malformed, too large or too slow. Then closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, log: Logger): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error)
    return
  }
  const { status, message } = faults[error.code ?? ''] ?? malformed
  const requestId = randomUUID()
  log.info({ requestId, operation: null, status, reason: error.code }, 'request')
  const masked = {
    code: 'BAD_USER_INPUT',
    message,
    fields: [],
    facts: {},
    retryAfterSeconds: undefined,
  } as const
  const body = JSON.stringify(toProblem(masked, status))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
