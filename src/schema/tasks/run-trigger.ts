import type { RequestContext } from '../../context.ts'
import { withScopes } from '../../credentials/caller.ts'
import type { LiveFunction } from '../../domain/hooks/hook-store.ts'
import { triggerWithScopes } from '../../domain/runs/run-cause.ts'
import type { TaskExecution } from '../../tasks/run/task-execution.ts'
import type { ExecuteRequest } from '../../tasks/task-runner.ts'

/** The script of a hook or a case task. Its texts are JSON that the gateway wrote. */
interface TriggerScript extends Pick<ExecuteRequest, 'cause' | 'deadline' | 'recorder' | 'refuseResult'> {
  /** Of the function, or of the task. */
  readonly name: string
  readonly trigger: LiveFunction
  readonly caseTypeCode: string
  readonly payload: string
  readonly options: string
}

/**
 * Runs a hook or a case task for an operation: with its scopes alone, for the real caller, who is data to the script.
 * Rejects as `TaskRunner.execute` does.
 */
export function runTrigger(
  { tasks, caller, parentRun, signal, log, onRun }: RequestContext,
  { name, trigger, caseTypeCode, payload, options, ...script }: TriggerScript,
): Promise<TaskExecution> {
  const input = {
    name,
    sourceCode: trigger.sourceCode,
    inputDocument: payload,
    isWritten: true,
    options,
    metadata: { caseTypeCode, accountNickname: null },
  }
  const rights = withScopes(caller, trigger.scopes, triggerWithScopes(script.cause.trigger))
  return tasks.execute({ input, ...script, caller: rights, parentRun, signal, log, onRun })
}
