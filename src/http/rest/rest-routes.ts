import { executeTask, recordOperations } from '../../operations/rows.ts'
import { pointersIntoTask, readTaskBody } from '../body/task-body.ts'
import { recordRow, toRecord } from './record-row.ts'
import type { RestRow } from './rest-row.ts'

/** The execution endpoint (contract, section 4): takes JSON or a form; 200 for `exit`, 422 for the other outcomes. */
const executeRow: RestRow = {
  operation: executeTask,
  takesForms: true,
  startsRun: true,
  readVariables: ({ body }) => ({ input: readTaskBody(body) }),
  answer(value) {
    const execution = toRecord(executeTask.answer.members, value as Readonly<Record<string, unknown>>)
    return { status: execution.outcome === 'exit' ? 200 : 422, body: { task_execution: execution } }
  },
  pointersInto: pointersIntoTask,
}

/** The REST table: every path of the REST side, each executed by the one engine. */
export const restRoutes: readonly RestRow[] = [...recordOperations.map(recordRow), executeRow]
