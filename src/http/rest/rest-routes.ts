import { caseShape, changeByCaseTask } from '../../operations/cases.ts'
import { executeTask, runFunction } from '../../operations/executions.ts'
import type { Operation } from '../../operations/operation.ts'
import { readCaseTaskBody } from '../body/content/case-task-body.ts'
import {
  pointersIntoFunction,
  pointersIntoTask,
  readFunctionBody,
  readTaskBody,
} from '../body/content/task-body.ts'
import { functionRows } from './function-rows.ts'
import { readIfMatch, toEtag } from './if-match.ts'
import { toRecord } from './record-row.ts'
import { recordRows } from './record-rows.ts'
import type { RestRow } from './rest-row.ts'

/**
 * Returns the row of a path that runs a script (contract, section 4). It takes JSON or a form, and answers 200 for
 * `exit` and 422 for other outcomes.
 */
function executionRow(
  path: string,
  operation: Operation,
  { readVariables, pointersInto }: Pick<RestRow, 'readVariables' | 'pointersInto'>,
): RestRow {
  return {
    method: 'POST',
    path,
    operation,
    bodies: 'tasks',
    followsRun: true,
    readVariables,
    answer(value) {
      const execution = toRecord(operation.answer.members, value as Row)
      return { status: execution.outcome === 'exit' ? 200 : 422, body: { task_execution: execution } }
    },
    pointersInto,
  }
}

const executeRow = executionRow('/api/1/endpoint/execute', executeTask, {
  readVariables: ({ body, isStrict }) => ({ input: readTaskBody(body, isStrict) }),
  pointersInto: pointersIntoTask,
})

const runFunctionRow = executionRow('/api/1/function/:name/execute', runFunction, {
  readVariables: ({ name, body, isStrict }) => ({ input: { name, ...readFunctionBody(body, isStrict) } }),
  pointersInto: pointersIntoFunction,
})

type Row = Readonly<Record<string, unknown>>

interface TaskResult {
  readonly execution: Row
  readonly change: { readonly case: Row; readonly patch: unknown } | null
}

/**
 * Runs a task on a case (contract, section 7). If the script calls `exit`, the answer has the case and what changed.
 */
const runCaseTaskRow: RestRow = {
  method: 'POST',
  path: '/api/1/case/:id/task/:name',
  operation: changeByCaseTask,
  bodies: 'records',
  readVariables: ({ id, name, body, ifMatch, isStrict }) => ({
    caseId: id,
    name,
    ...readCaseTaskBody(body, isStrict),
    ifVersions: readIfMatch(ifMatch),
  }),
  answer(value) {
    const { execution, change } = value as TaskResult
    const body = { task_execution: toRecord(changeByCaseTask.answer.members, execution) }
    if (change === null) return { status: 422, body }
    const { case: row, patch } = change
    return {
      status: 200,
      headers: { etag: toEtag(row.version as number) },
      body: { ...body, case: toRecord(caseShape.members, row), patch },
    }
  },
  pointersInto: () => ({}),
}

/** The REST table: every path of the REST side, each executed by the one engine. */
export const restRoutes: readonly RestRow[] = [
  ...recordRows,
  executeRow,
  runFunctionRow,
  runCaseTaskRow,
  ...functionRows,
]
