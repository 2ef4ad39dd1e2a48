import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { RostrumError } from '../../errors.ts'
import { toProblem } from '../errors/problem.ts'

const refusals = {
  /** An `Expect` that is not `100-continue` (RFC 9110, 10.1.1), which Node would refuse without a word. */
  expectation: { status: 417, message: 'Of expectations only `100-continue` can be met.' },
  /** `CONNECT`, for which Node would close the connection without a word. */
  connect: { status: 400, message: 'This is no proxy.' },
} as const

/** Refuses what Node does not give out as a request like others, and closes the connection after it. */
export function refuseUnspoken(kind: keyof typeof refusals, response: ServerResponse, log: Logger): void {
  const { status, message } = refusals[kind]
  const requestId = randomUUID()
  log.info({ requestId, operation: null, status, reason: kind }, 'request')
  const failure = new RostrumError('BAD_USER_INPUT', message)
  const body = JSON.stringify(toProblem(failure, status))
  response.writeHead(status, {
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  })
  response.end(body)
}
