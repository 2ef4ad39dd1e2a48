import type { Logger } from 'pino'
import { type Caller, isScope } from '../credentials/caller.ts'
import type { ExecuteQueued } from '../domain/queue/attempt-run.ts'
import type { RunError } from '../domain/runs/run-record.ts'
import { hideRunTokens } from './run/run-tokens.ts'
import type { TaskRunner } from './task-runner.ts'

/**
 * Runs the scripts of queued runs, each with its scopes alone. The caller that caused it is data to the script. The
 * store keeps the message and the error for others to read, so they show no token of a run.
 */
export function createExecuteQueued(tasks: Pick<TaskRunner, 'execute'>, log: Logger): ExecuteQueued {
  return async ({ run, sourceCode, cause, generation, recorder, signal, onTooDeep }) => {
    const { accountCode, causedBy, scopes, name, input, options, caseTypeCode } = run
    const rightsOf = run.trigger
    const caller: Caller = { accountCode, ...causedBy, scopes: new Set(scopes.filter(isScope)), rightsOf }
    const metadata = { caseTypeCode, accountNickname: null }
    const { outcome, message, error } = await tasks.execute({
      input: { name, sourceCode, inputDocument: input, options, metadata },
      cause,
      caller,
      parentRun: null,
      generation: { number: generation, onTooDeep },
      recorder,
      signal,
      log,
      onRun: () => undefined,
    })
    return { outcome, message: message && hideRunTokens(message), error: error && hideTokensIn(error) }
  }
}

function hideTokensIn(error: RunError): RunError {
  const { message, stack, hint = null } = error
  const hide = (text: string | null) => text && hideRunTokens(text)
  return { ...error, message: hideRunTokens(message), stack: hide(stack), hint: hide(hint) }
}
