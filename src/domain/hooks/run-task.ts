import { JsonText } from '../../json/json-text.ts'
import type { JsonObject } from '../../json/read-json.ts'
import type { ChangedCase, ChangeRequest } from '../cases/attempt-change.ts'
import { noCase, ownCase, staleCase } from '../cases/case-failures.ts'
import type { Case, CaseStore } from '../cases/case-store.ts'
import { type ExitError, readExit } from '../cases/read-exit.ts'
import { isName } from '../name.ts'
import type { HeldRuns } from '../runs/hold-runs.ts'
import { endpointCause, type RunCause } from '../runs/run-cause.ts'
import type { RunOutcome, RunRecorder } from '../runs/run-record.ts'
import type { CaseTaskStore, RunnableTask } from './hook-store.ts'
import { changedMeanwhile, hasMoved, noTask } from './trigger-failures.ts'

/** The script of a task. Its texts are JSON. */
export interface TaskScript {
  readonly task: RunnableTask
  readonly cause: RunCause
  readonly recorder: RunRecorder
  readonly caseTypeCode: string
  readonly payload: string
  readonly options: string
  readonly refuseResult: (payload: JsonText) => Promise<ExitError | null>
}

/** Runs a script with the rights of its task. Rejects if it never started: `OVERLOADED`, `TOO_DEEP`. */
type RunTaskScript<Execution> = (script: TaskScript) => Promise<Execution>

export interface TaskRequest<Execution> extends ChangeRequest {
  readonly id: number
  /** Of the task. */
  readonly name: string
  /** `options.params` of the script. */
  readonly params: JsonObject
  readonly runTask: RunTaskScript<Execution>
  /** The deadline of the save, for a save that begins now. The run has its own. */
  readonly deadlineOfSave: () => number
}

export interface TaskResult<Execution> {
  readonly execution: Execution
  /** Null if the script did not end with `exit`. */
  readonly change: ChangedCase | null
}

/** Replaces the data of the case of a task whose runs these are. */
export type SaveResult = (
  request: ChangeRequest,
  data: JsonObject,
  taskRuns: HeldRuns,
) => Promise<ChangedCase>

interface Parts {
  readonly cases: Pick<CaseStore, 'findByIds'>
  readonly caseTasks: Pick<CaseTaskStore, 'findRunnable'>
  readonly holdRuns: () => HeldRuns
  readonly saveResult: SaveResult
}

/**
 * Runs a task on a case and saves what it gave to `exit`, from the version read before (contract, section 7). Rejects
 * with `NOT_FOUND`, `PRECONDITION_FAILED` before the run, and after it as a save does, or with `CONFLICT` if the case
 * was changed meanwhile. The script holds no turn of the case.
 */
export async function runTask<Execution extends { readonly outcome: RunOutcome }>(
  { cases, caseTasks, holdRuns, saveResult }: Parts,
  request: TaskRequest<Execution>,
): Promise<TaskResult<Execution>> {
  const { id, name } = request
  const { row, task } = await readTask({ cases, caseTasks }, request)
  const runs = holdRuns()
  try {
    const { execution, data } = await runScript(request, { row, task, recorder: runs })
    if (data === undefined) return { execution, change: null }
    if (data === null) return { execution, change: unchanged(row, runs) }
    const change = await saveResult(requestSave(request, row, task), data, runs).catch((error: unknown) => {
      throw hasMoved(error) ? changedMeanwhile(id, name) : error
    })
    return { execution, change }
  } finally {
    request.work.pause()
    // The answer names the run, and its reader may look for it at once. A save has written it already.
    runs.keep()
    await runs.whenKept()
  }
}

async function readTask(
  { cases, caseTasks }: Pick<Parts, 'cases' | 'caseTasks'>,
  request: TaskRequest<unknown>,
) {
  const { origin, id, name, ifVersions, savingCases } = request
  if (savingCases.has(id)) throw ownCase(id)
  const [row] = await cases.findByIds(origin.accountCode, [id])
  if (row === undefined) throw noCase(id)
  if (ifVersions !== null && !ifVersions.includes(row.version)) throw staleCase(id, row.version)
  const { caseTypeCode } = row
  const task = isName(name) ? await caseTasks.findRunnable(origin.accountCode, caseTypeCode, name) : null
  if (task === null) throw noTask(name, caseTypeCode)
  return { row, task }
}

interface ReadTask {
  readonly row: Case
  readonly task: RunnableTask
  readonly recorder: RunRecorder
}

/** The data are null after `exit(null)`, and undefined if the script did not end with `exit`. */
async function runScript<Execution extends { readonly outcome: RunOutcome }>(
  request: TaskRequest<Execution>,
  read: ReadTask,
): Promise<{ readonly execution: Execution; readonly data: JsonObject | null | undefined }> {
  const exit: { data: JsonObject | null } = { data: null }
  const execution = await request.runTask({
    ...describeScript(read, request),
    async refuseResult(payload) {
      if (payload.text === 'null') return null
      const result = await readExit(payload, request.work)
      if ('code' in result) return result
      exit.data = result.data
      return null
    },
  })
  // A run that ended because the client has gone says nothing about the script.
  request.signal.throwIfAborted()
  return { execution, data: execution.outcome === 'exit' ? exit.data : undefined }
}

function requestSave(
  { deadlineOfSave, ...request }: TaskRequest<unknown>,
  { version }: Case,
  { functionName }: RunnableTask,
): ChangeRequest {
  return { ...request, ifVersions: [version], functionName, deadline: deadlineOfSave() }
}

function unchanged(row: Case, runs: HeldRuns): ChangedCase {
  const data = row.data?.text ?? null
  return { row, isSaved: false, changed: [], changedFields: new JsonText('{}'), data, runs }
}

function describeScript(
  { row: { id, version, caseTypeCode, data }, task, recorder }: ReadTask,
  { origin, params, dryRun }: Pick<TaskRequest<unknown>, 'origin' | 'params' | 'dryRun'>,
) {
  const { functionId, functionName, hash } = task
  return {
    task,
    recorder,
    cause: {
      ...endpointCause,
      trigger: 'task',
      function: { id: functionId, name: functionName, hash },
      case: { id, version },
      dryRun,
      txnId: origin.transactionId,
    },
    caseTypeCode,
    payload: data?.text ?? '{}',
    options: JSON.stringify({ params, case: { id, case_type_code: caseTypeCode, version } }),
  } as const
}
