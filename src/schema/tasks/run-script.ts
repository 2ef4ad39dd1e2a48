import type { RequestContext } from '../../context.ts'
import type { RunCause } from '../../domain/runs/run-cause.ts'
import type { TaskExecution, TaskInput } from '../../tasks/run/task-execution.ts'

/**
 * Runs a script for an operation and waits until it ends. Every run that a caller asks for comes this way. Rejects as
 * `TaskRunner.execute` does.
 */
export async function runScript(
  context: RequestContext,
  input: TaskInput,
  cause: RunCause,
): Promise<TaskExecution> {
  const { tasks, caller, parentRun, signal, log, onRun } = context
  const request = { input, cause, caller, parentRun, signal, log, onRun }
  const execution = await tasks.execute(request)
  // The script may have changed records that this operation has cached.
  context.loaders.clear()
  return execution
}
