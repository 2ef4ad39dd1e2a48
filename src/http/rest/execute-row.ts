import { pointersIntoTask, readTaskBody } from '../body/task-body.ts'
import { row } from './rest-row.ts'

interface LogEntry {
  readonly at: unknown
  readonly level: string
  readonly data: unknown
}

/** As the document below answers it: enum values are upper case in GraphQL and lower case on the REST side. */
interface Execution {
  readonly id: string
  readonly name: string
  readonly outcome: 'EXIT' | 'FAIL' | 'ERROR'
  readonly payload: unknown
  readonly message: string | null
  readonly error: unknown
  readonly logs: readonly LogEntry[]
  readonly requestContext: unknown
  readonly durationMs: number
}

/** The execution endpoint (contract, section 4): JSON or a form in, 200 for `exit`, 422 for the other outcomes. */
export const executeRow = row<{ executeTask: Execution }>('POST /api/1/endpoint/execute', {
  document: `mutation ($input: ExecuteTaskInput!) {
    executeTask(input: $input) {
      id name outcome payload message
      error { code message line column stack }
      logs { at level data }
      requestContext { txnID txnSource }
      durationMs
    }
  }`,
  takesForms: true,
  startsRun: true,
  pointers: pointersIntoTask,
  readVariables: ({ body }) => ({ input: readTaskBody(body) }),
  answer: ({ executeTask: { requestContext, durationMs, ...rest } }) => ({
    status: rest.outcome === 'EXIT' ? 200 : 422,
    body: {
      task_execution: {
        ...rest,
        outcome: rest.outcome.toLowerCase(),
        logs: rest.logs.map(entry => ({ ...entry, level: entry.level.toLowerCase() })),
        request_context: requestContext,
        duration_ms: durationMs,
      },
    },
  }),
})
