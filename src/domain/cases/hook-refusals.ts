import { type Caller, hasScope } from '../../credentials/caller.ts'
import { RostrumError } from '../../errors.ts'
import type { Execution, RunError } from '../scripts/run.ts'
import type { LiveHook } from '../triggers/trigger-store.ts'

interface FailedHook {
  readonly hook: LiveHook
  readonly execution: Execution
  /** The caller that asked for the change. */
  readonly caller: Caller
}

/** Returns the error of a save that a hook refused (contract, section 7, the table of errors). */
export function hookRefused({ hook, execution, caller }: FailedHook): RostrumError {
  const { id, event, functionName: name } = hook
  const { id: runId, outcome, message, error, requestContext } = execution
  const facts = { function: name, hook: { id, event }, runId, txnID: requestContext.txnID }
  if (outcome === 'fail') return new RostrumError('SCRIPT_FAILED', message ?? '', { facts })
  return new RostrumError(
    'SCRIPT_ERROR',
    `The function \`${name}\` of the ${event} hook \`${id}\` failed with \`${error?.code}\` in run \`${runId}\`, so ` +
      'nothing was changed.',
    { facts: { ...facts, error: error && showError(error, caller) } },
  )
}

// Returns the part of the error that the caller may read.
function showError(error: RunError, caller: Caller) {
  return hasScope(caller, 'runs:read') ? { ...error } : { code: error.code }
}
