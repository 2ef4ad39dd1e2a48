import type { RequestContext } from '../../context.ts'
import { hasScope } from '../../credentials/caller.ts'
import type { TaskExecution } from '../../tasks/run/task-execution.ts'

/** Callers without `runs:read` get only the code of a stored function's error (contract, section 7). */
export function hideError(execution: TaskExecution, { caller }: RequestContext): TaskExecution {
  const { id, name, error } = execution
  if (error === null || hasScope(caller, 'runs:read')) return execution
  const message = `The function \`${name}\` failed in run \`${id}\`; read its error with the scope \`runs:read\`.`
  return { ...execution, error: { code: error.code, message, line: null, column: null, stack: null } }
}
