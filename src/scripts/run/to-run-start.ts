import type { Run } from '../../domain/scripts/run.ts'
import type { RunStart } from '../../domain/scripts/run-record.ts'
import type { CheckedScript } from '../input/read-script.ts'
import { keptOptions } from '../input/script-options.ts'

interface BeginningRun {
  readonly run: Run
  readonly script: CheckedScript
  /** The options of the script, without the token of the run. */
  readonly options: string
  readonly parentRun: Run | null
  /** The start, in milliseconds since 1970. */
  readonly startedAt: number
}

/** Returns the facts about a run that are stored when it begins. */
export function toRunStart({ run, script, options, parentRun, startedAt }: BeginningRun): RunStart {
  const { caller, transaction } = run
  const { cause, payload } = script
  const sourceCode = cause.function === null ? script.sourceCode : null
  return {
    runId: run.id,
    accountCode: caller.accountCode,
    cause,
    name: run.name,
    txnId: transaction.txnID,
    txnSource: transaction.txnSource,
    parentRunId: parentRun?.id ?? null,
    byUserId: caller.userId,
    scopes: [...caller.scopes],
    startedAt,
    input: payload,
    writeOptions: () => keptOptions(options),
    sourceCode,
    bytes: 2 * (payload.length + script.options.text.length + (sourceCode?.length ?? 0)),
  }
}
