import type { RequestContext } from '../../context.ts'
import { hasScope } from '../../credentials/caller.ts'
import { type Execution, errorWithoutPosition, type RunError } from '../../domain/scripts/run.ts'

/** Callers without `runs:read` get only the code of a stored function's error (contract, section 7). */
export function hideError(execution: Execution, context: RequestContext): Execution {
  return { ...execution, error: hideErrorOf(execution, execution.error, context) }
}

/** Does the same for the error of a run, or of a queued run, which does not name its last run. */
export function hideErrorOf(
  { id, name }: { readonly id: string | null; readonly name: string },
  error: RunError | null,
  { caller }: RequestContext,
): RunError | null {
  if (error === null || hasScope(caller, 'runs:read')) return error
  const run = id === null ? '' : ` in run \`${id}\``
  const message = `The function \`${name}\` failed${run}; read its error with the scope \`runs:read\`.`
  return { ...errorWithoutPosition(error.code, message), hint: null }
}
