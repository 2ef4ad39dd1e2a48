import type { LongWork } from '../../fairness/long-work.ts'
import type { JsonObject } from '../../json/read-json.ts'
import { describeChange } from '../case-data/changed-fields.ts'
import { readExit, type WrittenData } from '../case-data/read-exit.ts'
import { makeCause } from '../scripts/run-cause.ts'
import type { RunRecorder } from '../scripts/run-record.ts'
import type { Asking, CheckExit, Script, Scripts } from '../scripts/script.ts'
import type { LiveHook } from '../triggers/trigger-store.ts'
import type { Case } from './case-store.ts'
import { refuseAsHook } from './hook-refusals.ts'

/** What the hooks of one attempt at a save or a delete need. */
export interface HookedChange {
  readonly asking: Asking
  /** The deadline of the change, in milliseconds of `performance.now()`. */
  readonly deadline: number
  readonly dryRun: boolean
  readonly work: LongWork
  /** The case as it is stored; null if it is being created. */
  readonly row: Pick<Case, 'id' | 'version' | 'data' | 'dataBytes'> | null
  readonly stored: JsonObject | null
  readonly caseTypeCode: string
  /** The data to write; null to delete the case. */
  readonly wanted: WrittenData | null
  readonly hooks: readonly LiveHook[]
  readonly transactionId: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  readonly scripts: Scripts
  readonly recorder: RunRecorder
}

/**
 * Runs the hooks before a save or a delete one after the other (contract, section 7, steps 3 and 4), and returns the
 * data as the hooks have changed it. Rejects with `SCRIPT_FAILED` or `SCRIPT_ERROR` after the first hook that refuses,
 * and otherwise as `Scripts.run` does.
 */
export async function runHooks(change: HookedChange): Promise<WrittenData | null> {
  let data = change.wanted
  for (const hook of change.hooks) data = await runHook(hook, data, change)
  return data
}

async function runHook(hook: LiveHook, given: WrittenData | null, change: HookedChange) {
  const { row, stored, caseTypeCode, transactionId, attempt, dryRun, deadline, asking } = change
  let data = given
  const readData: CheckExit = async payload => {
    const read = await readExit(payload, change.work)
    if ('code' in read) return read
    data = read
    return null
  }
  const { functionId, functionName: name, hash, sourceCode, scopes } = hook
  const before = { data: stored, length: row?.dataBytes ?? 0 }
  const { text: changedFields } = await describeChange(given, before, change.work)
  // Let other changes of the account work meanwhile: the script may make one, and would wait for it forever.
  change.work.pause()
  const script: Script = {
    cause: makeCause({
      trigger: 'hook',
      event: hook.event,
      function: { id: functionId, name, hash },
      case: { id: row?.id ?? null, version: row?.version ?? null },
      attempt,
      dryRun,
      txnId: transactionId,
    }),
    name,
    sourceCode,
    payload: given?.text ?? row?.data?.text ?? '{}',
    isWritten: true,
    options: writeOptions({ row, caseTypeCode, changedFields }),
    caseTypeCode,
    rights: { scopes, of: 'hook' },
    // A delete has no data to replace, so it continues after any value.
    checkExit: given === null ? null : readData,
  }
  const execution = await change.scripts.run(script, asking, { deadline, recorder: change.recorder })
  // If the client disconnected, that ended the run. Do not report it as a failure of the script.
  asking.signal.throwIfAborted()
  if (execution.outcome !== 'exit') throw refuseAsHook({ hook, execution, caller: asking.caller })
  return data
}

interface WriteOptions extends Pick<HookedChange, 'row' | 'caseTypeCode'> {
  /** The changed fields, as JSON. */
  readonly changedFields: string
}

function writeOptions({ row, caseTypeCode, changedFields }: WriteOptions): string {
  const of = { id: row?.id ?? null, case_type_code: caseTypeCode, version: row?.version ?? null }
  return `{"changed_fields":${changedFields},"case":${JSON.stringify(of)}}`
}
