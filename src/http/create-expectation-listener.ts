import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { toProblem } from './problem.ts'

const status = 417

/** Answers an `Expect` that is not `100-continue` (RFC 9110, 10.1.1), which Node would refuse without a word. */
export function createExpectationListener(log: Logger) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    const requestId = randomUUID()
    log.info({ requestId, operation: null, status }, 'request')
    const problem = toProblem(
      {
        code: 'BAD_USER_INPUT',
        message: 'Of expectations only `100-continue` can be met.',
        fields: [],
        facts: {},
        retryAfterSeconds: undefined,
      },
      status,
    )
    const body = JSON.stringify(problem)
    response.writeHead(status, {
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': requestId,
      connection: 'close',
    })
    response.end(body)
  }
}
