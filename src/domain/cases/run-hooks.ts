import type { LongWork } from '../../fairness/long-work.ts'
import type { JsonObject } from '../../json/read-json.ts'
import { describeChange } from '../case-data/changed-fields.ts'
import { readExit, type WrittenData } from '../case-data/read-exit.ts'
import type { Origin } from '../port.ts'
import { makeCause } from '../scripts/run-cause.ts'
import type { RunRecorder } from '../scripts/run-record.ts'
import type { Asking, CheckExit, Script, Scripts } from '../scripts/script.ts'
import type { LiveHook } from '../triggers/trigger-store.ts'
import type { Case } from './case-store.ts'
import { hookRefused } from './hook-refusals.ts'

/** What one attempt at a save or a delete read, and what it wants to write. */
export interface HookedAttempt {
  /** The number of the attempt, from 1. */
  readonly count: number
  /** The case as it is stored, and its data; null if it is being created. */
  readonly row: Case | null
  readonly data: JsonObject | null
  readonly caseTypeCode: string
  /** The data to write; null to delete the case. */
  readonly wanted: WrittenData | null
  readonly hooks: readonly LiveHook[]
}

interface HookedChange {
  readonly request: {
    readonly origin: Pick<Origin, 'transactionId'>
    readonly asking: Asking
    /** The deadline of the change, in milliseconds of `performance.now()`. */
    readonly deadline: number
    readonly dryRun: boolean
    readonly work: LongWork
  }
  readonly attempt: HookedAttempt
  readonly scripts: Scripts
  readonly recorder: RunRecorder
}

/**
 * Runs the hooks before a save or a delete one after the other (contract, section 7, steps 3 and 4), and returns the
 * data as the hooks have changed it. Rejects with `SCRIPT_FAILED` or `SCRIPT_ERROR` after the first hook that refuses,
 * and otherwise as `Scripts.run` does.
 */
export async function runHooks(change: HookedChange): Promise<WrittenData | null> {
  let data = change.attempt.wanted
  for (const hook of change.attempt.hooks) data = await runHook(hook, data, change)
  return data
}

async function runHook(hook: LiveHook, given: WrittenData | null, change: HookedChange) {
  const { scripts, recorder } = change
  const { origin, asking, deadline, dryRun, work } = change.request
  const { row, data: stored, caseTypeCode, count } = change.attempt
  const { id = null, version = null } = row ?? {}
  let data = given
  const readData: CheckExit = async payload => {
    const read = await readExit(payload, work)
    if ('code' in read) return read
    data = read
    return null
  }
  const { functionId, functionName: name, hash, sourceCode, scopes } = hook
  const before = { data: stored, length: row?.dataBytes ?? 0 }
  const { text: changedFields } = await describeChange(given, before, work)
  // Let other changes of the account work meanwhile: the script may make one, and would wait for it forever.
  work.pause()
  const script: Script = {
    cause: makeCause({
      trigger: 'hook',
      event: hook.event,
      function: { id: functionId, name, hash },
      case: { id, version },
      attempt: count,
      dryRun,
      txnId: origin.transactionId,
    }),
    name,
    sourceCode,
    payload: given?.text ?? row?.data?.text ?? '{}',
    isWritten: true,
    options: writeHookOptions(changedFields, { id, case_type_code: caseTypeCode, version }),
    caseTypeCode,
    rights: { scopes, of: 'hook' },
    // A delete has no data to replace, so it continues after any value.
    checkExit: given === null ? null : readData,
  }
  const execution = await scripts.run(script, asking, { deadline, recorder })
  // If the client disconnected, that ended the run. Do not report it as a failure of the script.
  asking.signal.throwIfAborted()
  if (execution.outcome !== 'exit') throw hookRefused({ hook, execution, caller: asking.caller })
  return data
}

interface HookedCase {
  /** The id and the version are null before the case is created. */
  readonly id: number | null
  readonly case_type_code: string
  readonly version: number | null
}

/** Returns the options of a hook before or after a change, as JSON. `changedFields` is JSON too. */
export function writeHookOptions(changedFields: string, changedCase: HookedCase): string {
  return `{"changed_fields":${changedFields},"case":${JSON.stringify(changedCase)}}`
}
