import type { RunStart } from '../../domain/runs/run-record.ts'
import type { CheckedTask } from '../input/read-task-input.ts'
import { keptOptions } from '../input/script-options.ts'
import type { ExecuteRequest } from '../task-runner.ts'
import type { Run } from './run.ts'

interface BeginningRun {
  readonly run: Run
  readonly task: CheckedTask
  readonly request: ExecuteRequest
  /** In milliseconds since 1970. */
  readonly startedAt: number
}

/** The facts about a run that are kept from its beginning. */
export function toRunStart({ run, task, request, startedAt }: BeginningRun): RunStart {
  const { caller, transaction } = run
  const { payload, options } = task
  return {
    runId: run.id,
    accountCode: caller.accountCode,
    cause: request.cause,
    name: run.name,
    txnId: transaction.txnID,
    txnSource: transaction.txnSource,
    parentRunId: request.parentRun?.id ?? null,
    byUserId: caller.userId,
    scopes: [...caller.scopes],
    startedAt,
    input: payload,
    writeOptions: () => keptOptions({ given: options, caller, transaction }),
    bytes: 2 * (payload.length + options.text.length),
  }
}
