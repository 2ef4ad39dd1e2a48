import type { JsonText } from '../../json/json-text.ts'
import type { JsonObject } from '../../json/read-json.ts'
import type { ChangeRequest } from '../cases/attempt-change.ts'
import type { Case } from '../cases/case-store.ts'
import { describeChange } from '../cases/changed-fields.ts'
import { type ExitError, readExit, type WrittenData } from '../cases/read-exit.ts'
import { endpointCause, type RunCause } from '../runs/run-cause.ts'
import type { RunRecorder } from '../runs/run-record.ts'
import type { HookExecution } from './hook-refusals.ts'
import { refuseAsHook } from './hook-refusals.ts'
import type { LiveHook } from './hook-store.ts'

/** The script of a hook. Its texts are JSON. */
export interface HookScript {
  readonly hook: LiveHook
  readonly cause: RunCause
  readonly caseTypeCode: string
  readonly payload: string
  readonly options: string
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number
  readonly recorder: RunRecorder
  /** Null if `exit` may have any value. */
  readonly refuseResult: ((payload: JsonText) => Promise<ExitError | null>) | null
}

/** Runs a script with the rights of its hook. Rejects if it never started: `OVERLOADED`, `TOO_DEEP`. */
export type RunHookScript = (script: HookScript) => Promise<HookExecution>

/** A save or a delete as one attempt wants it. */
export interface HookedChange extends Pick<ChangeRequest, 'work'> {
  /** The case as it is stored; null for one that is being created. */
  readonly row: Pick<Case, 'id' | 'version' | 'data' | 'dataBytes'> | null
  readonly stored: JsonObject | null
  readonly caseTypeCode: string
  /** Null to delete the case. */
  readonly wanted: WrittenData | null
  readonly hooks: readonly LiveHook[]
  readonly transactionId: string
  /** From 1. */
  readonly attempt: number
  readonly dryRun: boolean
  readonly deadline: number
  readonly signal: AbortSignal
  readonly runHook: RunHookScript
  readonly recorder: RunRecorder
}

/**
 * Runs the hooks before a save or a delete one after the other (contract, section 7, steps 3 and 4), and gives the
 * data as they made them. Rejects with `SCRIPT_FAILED` or `SCRIPT_ERROR` after the first that refuses.
 */
export async function runHooks(change: HookedChange): Promise<WrittenData | null> {
  let data = change.wanted
  for (const hook of change.hooks) data = await runHook(hook, data, change)
  return data
}

async function runHook(hook: LiveHook, given: WrittenData | null, change: HookedChange) {
  const { row, stored, caseTypeCode, transactionId, attempt, dryRun, deadline, signal } = change
  let data = given
  const readData = async (payload: JsonText): Promise<ExitError | null> => {
    const read = await readExit(payload, change.work)
    if ('code' in read) return read
    data = read
    return null
  }
  const { id: functionId, name, hash } = { id: hook.functionId, name: hook.functionName, hash: hook.hash }
  const before = { data: stored, length: row?.dataBytes ?? 0 }
  const { text: changedFields } = await describeChange(given, before, change.work)
  // The script may change other cases.
  change.work.pause()
  const execution = await change.runHook({
    hook,
    cause: {
      ...endpointCause,
      trigger: 'hook',
      event: hook.event,
      function: { id: functionId, name, hash },
      case: { id: row?.id ?? null, version: row?.version ?? null },
      attempt,
      dryRun,
      txnId: transactionId,
    },
    caseTypeCode,
    payload: given?.text ?? row?.data?.text ?? '{}',
    options: writeOptions({ row, caseTypeCode, changedFields }),
    deadline,
    recorder: change.recorder,
    // Any value lets a delete go on.
    refuseResult: given === null ? null : readData,
  })
  // A run that ended because the client has gone says nothing about the script.
  signal.throwIfAborted()
  if (execution.outcome !== 'exit') throw refuseAsHook(hook, execution, transactionId)
  return data
}

interface WriteOptions extends Pick<HookedChange, 'row' | 'caseTypeCode'> {
  /** JSON. */
  readonly changedFields: string
}

function writeOptions({ row, caseTypeCode, changedFields }: WriteOptions): string {
  const of = { id: row?.id ?? null, case_type_code: caseTypeCode, version: row?.version ?? null }
  return `{"changed_fields":${changedFields},"case":${JSON.stringify(of)}}`
}
