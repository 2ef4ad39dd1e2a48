import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { RostrumError } from '../../errors.ts'
import { toProblem } from '../errors/problem.ts'

interface BareAnswer {
  readonly socket: Duplex
  readonly status: number
  readonly message: string
  readonly log: Logger
  /** For the log: Node's word for what it met. */
  readonly reason: string | undefined
}

/** Answers what Node never made a request of with a problem document, and closes the connection. */
export function answerInBytes({ socket, status, message, log, reason }: BareAnswer): void {
  const requestId = randomUUID()
  log.info({ requestId, operation: null, status, reason }, 'request')
  const failure = new RostrumError('BAD_USER_INPUT', message)
  const body = JSON.stringify(toProblem(failure, status))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
