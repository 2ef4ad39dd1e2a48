import { RostrumError } from '../../errors.ts'
import { JsonText } from '../../json/json-text.ts'
import type { JsonObject } from '../../json/read-json.ts'
import type { ChangedCase, ChangeRequest } from '../cases/attempt-change.ts'
import { noCase, ownCase, staleCase } from '../cases/case-failures.ts'
import type { Case, CaseStore } from '../cases/case-store.ts'
import { type ExitError, readExit, type WrittenData } from '../cases/read-exit.ts'
import { isName } from '../functions/functions.ts'
import { endpointCause, type RunCause } from '../runs/run-cause.ts'
import type { RunOutcome } from '../runs/run-record.ts'
import type { CaseTaskStore, RunnableTask } from './hook-store.ts'

// Longer names are cut in messages.
const maxShownCharacters = 70

/** The script of a task. Its texts are JSON. */
export interface TaskScript {
  readonly task: RunnableTask
  readonly cause: RunCause
  readonly caseTypeCode: string
  readonly payload: string
  readonly options: string
  readonly refuseResult: (payload: JsonText) => ExitError | null
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

interface Parts {
  readonly cases: Pick<CaseStore, 'findByIds'>
  readonly caseTasks: Pick<CaseTaskStore, 'findRunnable'>
  /** Replaces the data of a case. */
  readonly save: (request: ChangeRequest & { readonly id: number }, data: JsonObject) => Promise<ChangedCase>
}

/**
 * Runs a task on a case and saves what it gave to `exit`, from the version read before (contract, section 7). Rejects
 * with `NOT_FOUND`, `PRECONDITION_FAILED` before the run, and after it as a save does, or with `CONFLICT` if the case
 * was changed meanwhile. The script holds no turn of the case.
 */
export async function runTask<Execution extends { readonly outcome: RunOutcome }>(
  { cases, caseTasks, save }: Parts,
  request: TaskRequest<Execution>,
): Promise<TaskResult<Execution>> {
  const { origin, id, name, ifVersions, savingCases, signal } = request
  const { accountCode } = origin
  if (savingCases.has(id)) throw ownCase(id)
  const [row] = await cases.findByIds(accountCode, [id])
  if (row === undefined) throw noCase(id)
  if (ifVersions !== null && !ifVersions.includes(row.version)) throw staleCase(id, row.version)
  const { caseTypeCode } = row
  const task = isName(name) ? await caseTasks.findRunnable(accountCode, caseTypeCode, name) : null
  if (task === null) throw noTask(name, caseTypeCode)

  const exit: { data: WrittenData | null } = { data: null }
  const execution = await request.runTask({
    ...describeScript(task, row, request),
    refuseResult(payload) {
      if (payload.text === 'null') return null
      const read = readExit(payload)
      if ('code' in read) return read
      exit.data = read
      return null
    },
  })
  // A run that ended because the client has gone says nothing about the script.
  signal.throwIfAborted()
  if (execution.outcome !== 'exit') return { execution, change: null }
  if (exit.data === null) return { execution, change: unchanged(row) }
  const { functionName } = task
  const deadline = request.deadlineOfSave()
  const saving = save({ ...request, ifVersions: [row.version], functionName, deadline }, exit.data.data)
  const change = await saving.catch((error: unknown) => {
    throw hasMoved(error) ? changedMeanwhile(id, name) : error
  })
  return { execution, change }
}

function unchanged(row: Case): ChangedCase {
  const runs = { runIds: [], whenKept: async () => undefined }
  return { row, isSaved: false, changed: [], changedFields: new JsonText('{}'), runs }
}

function describeScript(
  task: RunnableTask,
  { id, version, caseTypeCode, data }: Case,
  { origin, params, dryRun }: Pick<TaskRequest<never>, 'origin' | 'params' | 'dryRun'>,
) {
  const { functionId, functionName, hash } = task
  return {
    task,
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

function hasMoved(error: unknown): boolean {
  return error instanceof RostrumError && (error.code === 'PRECONDITION_FAILED' || error.code === 'NOT_FOUND')
}

function changedMeanwhile(id: number, name: string): RostrumError {
  return new RostrumError(
    'CONFLICT',
    `Case \`${id}\` was changed or deleted while the task \`${name}\` ran, so its result was not saved. The task ` +
      'was not run again.',
  )
}

function noTask(name: string, caseTypeCode: string): RostrumError {
  const shown = name.length > maxShownCharacters ? `${name.slice(0, maxShownCharacters)}…` : name
  return new RostrumError(
    'NOT_FOUND',
    `The case type \`${caseTypeCode}\` has no task \`${shown}\` that is enabled.`,
  )
}
