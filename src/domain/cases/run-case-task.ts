import { hasCode } from '../../errors.ts'
import { JsonText } from '../../json/json-text.ts'
import type { JsonObject } from '../../json/read-json.ts'
import { readExit } from '../case-data/read-exit.ts'
import { isName } from '../name.ts'
import type { DeferredRuns } from '../runs/deferred-runs.ts'
import type { Execution } from '../scripts/run.ts'
import { makeCause } from '../scripts/run-cause.ts'
import type { CheckExit, Script, Scripts } from '../scripts/script.ts'
import type { CaseTaskStore, RunnableTask } from '../triggers/trigger-store.ts'
import type { ChangedCase, ChangeRequest } from './attempt-change.ts'
import { changedDuringTask, noCase, noTask, refuseOwnCase, refuseStale } from './case-failures.ts'
import type { Case, CaseStore } from './case-store.ts'

export interface TaskRequest extends ChangeRequest {
  readonly id: number
  /** The name of the task. */
  readonly name: string
  /** The script gets these as `options.params`. */
  readonly params: JsonObject
  /** Returns the deadline of a save that begins now. The run of the task has a deadline of its own. */
  readonly deadlineOfSave: () => number
}

export interface TaskResult {
  readonly execution: Execution
  /** The change that the task made; null if its script did not end with `exit`. */
  readonly change: ChangedCase | null
}

/**
 * Saves the data that a task returned as the new data of its case. `taskRuns` records the task's run, which the same
 * commit writes.
 */
export type SaveResult = (
  request: ChangeRequest,
  data: JsonObject,
  taskRuns: DeferredRuns,
) => Promise<ChangedCase>

interface Parts {
  readonly cases: Pick<CaseStore, 'findByIds'>
  readonly caseTasks: Pick<CaseTaskStore, 'findRunnable'>
  readonly scripts: Scripts
  readonly deferRuns: () => DeferredRuns
  readonly saveResult: SaveResult
}

/**
 * Runs a task on a case and saves the value that it passed to `exit`, unless the case has changed since it was read
 * (contract, section 7). Rejects with `NOT_FOUND` or `PRECONDITION_FAILED` before the run. After the run it rejects as
 * a save does, or with `CONFLICT` if the case has changed. Other saves of the case can go on during the run.
 */
export async function runTask(
  { cases, caseTasks, scripts, deferRuns, saveResult }: Parts,
  request: TaskRequest,
): Promise<TaskResult> {
  const { id, name } = request
  const { row, task } = await readTask({ cases, caseTasks }, request)
  const runs = deferRuns()
  try {
    const { execution, data } = await runScript(request, { row, task, scripts, runs })
    if (data === undefined) return { execution, change: null }
    if (data === null) return { execution, change: unchanged(request, row, runs) }
    const change = await saveResult(requestSave(request, row, task), data, runs).catch((error: unknown) => {
      const isGone = hasCode(error, 'PRECONDITION_FAILED', 'NOT_FOUND')
      throw isGone ? changedDuringTask(id, name) : error
    })
    return { execution, change }
  } finally {
    request.work.pause()
    // The answer names the run, so the run must be stored before the answer. A save has stored it already.
    runs.keep()
    await runs.whenKept()
  }
}

async function readTask({ cases, caseTasks }: Pick<Parts, 'cases' | 'caseTasks'>, request: TaskRequest) {
  const { origin, id, name, ifVersions, asking } = request
  refuseOwnCase(id, asking.parentRun)
  const [row] = await cases.findByIds(origin.accountCode, [id])
  if (row === undefined) throw noCase(id)
  refuseStale(row, ifVersions)
  const { caseTypeCode } = row
  const task = isName(name) ? await caseTasks.findRunnable(origin.accountCode, caseTypeCode, name) : null
  if (task === null) throw noTask(name, caseTypeCode)
  return { row, task }
}

interface ReadTask {
  readonly row: Case
  readonly task: RunnableTask
}

/**
 * Runs the script. The returned data is null after `exit(null)`, and undefined if the script did not end with `exit`.
 */
async function runScript(
  request: TaskRequest,
  { row, task, scripts, runs }: ReadTask & { readonly scripts: Scripts; readonly runs: DeferredRuns },
): Promise<{ readonly execution: Execution; readonly data: JsonObject | null | undefined }> {
  const exit: { data: JsonObject | null } = { data: null }
  const checkExit: CheckExit = async payload => {
    if (payload.text === 'null') return null
    const result = await readExit(payload, request.work)
    if ('code' in result) return result
    exit.data = result.data
    return null
  }
  const script = { ...toScript({ row, task }, request), checkExit }
  const execution = await scripts.run(script, request.asking, { recorder: runs })
  if (execution.outcome !== 'exit') return { execution, data: undefined }
  // Nothing is saved for a client that has disconnected.
  request.asking.signal.throwIfAborted()
  return { execution, data: exit.data }
}

function requestSave(
  { deadlineOfSave, ...request }: TaskRequest,
  { version }: Case,
  { functionName }: RunnableTask,
): ChangeRequest {
  return { ...request, ifVersions: [version], functionName, deadline: deadlineOfSave() }
}

function unchanged({ origin }: TaskRequest, row: Case, runs: DeferredRuns): ChangedCase {
  const { transactionId } = origin
  const data = row.data?.text ?? null
  return { row, isSaved: false, changed: [], changedFields: new JsonText('{}'), data, transactionId, runs }
}

function toScript(
  { row: { id, version, caseTypeCode, data }, task }: ReadTask,
  { origin, params, dryRun }: Pick<TaskRequest, 'origin' | 'params' | 'dryRun'>,
): Script {
  const { functionId, functionName, hash, scopes } = task
  return {
    cause: makeCause({
      trigger: 'task',
      function: { id: functionId, name: functionName, hash },
      case: { id, version },
      dryRun,
      txnId: origin.transactionId,
    }),
    name: task.name,
    sourceCode: task.sourceCode,
    payload: data?.text ?? '{}',
    isWritten: true,
    options: JSON.stringify({ params, case: { id, case_type_code: caseTypeCode, version } }),
    caseTypeCode,
    rights: { scopes, of: 'task' },
  }
}
