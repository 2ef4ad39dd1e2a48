import type { Operation } from '../../operations/operation.ts'
import { executeTask, recordOperations, runFunction } from '../../operations/rows.ts'
import { pointersIntoFunction, pointersIntoTask, readFunctionBody, readTaskBody } from '../body/task-body.ts'
import { recordRow, toRecord } from './record-row.ts'
import type { RestRow } from './rest-row.ts'

/** A path that runs a script (contract, section 4): takes JSON or a form; 200 for `exit`, 422 for other outcomes. */
function executionRow(
  operation: Operation,
  { readVariables, pointersInto }: Pick<RestRow, 'readVariables' | 'pointersInto'>,
): RestRow {
  return {
    operation,
    takesForms: true,
    startsRun: true,
    readVariables,
    answer(value) {
      const execution = toRecord(operation.answer.members, value as Readonly<Record<string, unknown>>)
      return { status: execution.outcome === 'exit' ? 200 : 422, body: { task_execution: execution } }
    },
    pointersInto,
  }
}

const executeRow = executionRow(executeTask, {
  readVariables: ({ body }) => ({ input: readTaskBody(body) }),
  pointersInto: pointersIntoTask,
})

const runFunctionRow = executionRow(runFunction, {
  readVariables: ({ name, body }) => ({ input: { name, ...readFunctionBody(body) } }),
  pointersInto: pointersIntoFunction,
})

/** The REST table: every path of the REST side, each executed by the one engine. */
export const restRoutes: readonly RestRow[] = [...recordOperations.map(recordRow), executeRow, runFunctionRow]
