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
  /** Null for a case that is being created. */
  readonly id: number | null
  /** The stored version; null for a case that is being created. */
  readonly version: number | null
}

/** What runs a script, and for what (contract, section 7, "Every run is kept"). */
export interface RunCause {
  readonly trigger: RunTrigger
  /** Null for other triggers than hooks. */
  readonly event: RunHookEvent | null
  /** Null for a script that came with its request. */
  readonly function: RunFunction | null
  readonly case: RunCase | null
  /** The id of the run whose input runs again. */
  readonly replayOf: string | null
  /** From 1. */
  readonly attempt: number
  /** The queued run whose attempt it is; null for others. */
  readonly queuedRunId: number | null
  readonly dryRun: boolean
  /** The transaction that the run continues. Null: from the options, else from the parent run, else a new one. */
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

/** Completes a cause: what is left out does not apply to the trigger. */
export function makeCause(given: Pick<RunCause, 'trigger'> & Partial<RunCause>): RunCause {
  return { ...noDetails, ...given }
}
