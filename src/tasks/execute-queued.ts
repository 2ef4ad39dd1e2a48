import type { Logger } from 'pino'
import { type Caller, isScope } from '../credentials/caller.ts'
import type { ExecuteQueued } from '../domain/queue/attempt-run.ts'
import type { TaskRunner } from './task-runner.ts'

/** Runs the scripts of queued runs, each with its scopes alone. The caller that caused it is data to the script. */
export function createExecuteQueued(tasks: Pick<TaskRunner, 'execute'>, log: Logger): ExecuteQueued {
  return ({ run, sourceCode, cause, generation, recorder, signal, onTooDeep }) => {
    const { accountCode, causedBy, scopes, name, input, options, caseTypeCode } = run
    const rightsOf = run.trigger
    const caller: Caller = { accountCode, ...causedBy, scopes: new Set(scopes.filter(isScope)), rightsOf }
    const metadata = { caseTypeCode, accountNickname: null }
    return tasks.execute({
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
  }
}
