import { type Fact, RostrumError } from '../../errors.ts'
import type { RunOutcome } from '../runs/run-record.ts'
import type { LiveHook } from './hook-store.ts'

/** How the run of a hook ended. */
export interface HookExecution {
  readonly id: string
  readonly outcome: RunOutcome
  /** The message given to `fail`. */
  readonly message: string | null
  /** As much of the error as the caller may read. */
  readonly error: HookError | null
}

export type HookError = { readonly code: string } & Readonly<Record<string, Fact>>

/** The refusal of a save by a hook (contract, section 7, the table of errors). */
export function refuseAsHook(hook: LiveHook, execution: HookExecution, txnID: string): RostrumError {
  const { id, event, functionName: name } = hook
  const { id: runId, outcome, message, error } = execution
  const facts = { function: name, hook: { id, event }, runId, txnID }
  if (outcome === 'fail') return new RostrumError('SCRIPT_FAILED', message ?? '', { facts })
  return new RostrumError(
    'SCRIPT_ERROR',
    `The function \`${name}\` of the ${event} hook \`${id}\` failed with \`${error?.code}\` in run \`${runId}\`, so ` +
      'nothing was changed.',
    { facts: { ...facts, error } },
  )
}
