import type { RunTrigger } from './trigger-kinds.ts'

export type RunHookEvent = 'pre-save' | 'post-save' | 'pre-delete' | 'post-delete'

/** A version of a stored function. */
export interface RunFunction {
  readonly id: number
  readonly name: string
  readonly hash: string
}

/** The case that a script runs for. */
export interface RunCase {
  /** The id of the case; null for a case that is being created. */
  readonly id: number | null
  /** The stored version; null for a case that is being created. */
  readonly version: number | null
}

/** What started a run, and for which object (contract, section 7, "Every run is kept"). */
export interface RunCause {
  readonly trigger: RunTrigger
  /** The event of a hook; null for other triggers. */
  readonly event: RunHookEvent | null
  /** The function that runs; null for a script that came with its request. */
  readonly function: RunFunction | null
  readonly case: RunCase | null
  /** The id of the run whose input runs again. */
  readonly replayOf: string | null
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The queued run that this is an attempt of; null for other runs. */
  readonly queuedRunId: number | null
  readonly dryRun: boolean
  /** The transaction that the run continues. Null: the one of the options, else of the parent run, else a new one. */
  readonly txnId: string | null
}

const noDetails: Omit<RunCause, 'trigger'> = {
  event: null,
  function: null,
  case: null,
  replayOf: null,
  attempt: 1,
  queuedRunId: null,
  dryRun: false,
  txnId: null,
}

/** Completes a cause. Members that are left out do not apply to the trigger and become null. */
export function makeCause(given: Pick<RunCause, 'trigger'> & Partial<RunCause>): RunCause {
  return { ...noDetails, ...given }
}
