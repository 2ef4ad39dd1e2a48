import type { RequestContext } from '../../context.ts'
import { hasScope, withScopes } from '../../credentials/caller.ts'
import type { RunHookScript } from '../../domain/hooks/run-hooks.ts'

/** Runs hooks for an operation: with the scopes of each hook alone, for the real caller, who is data to the script. */
export function createRunHook(context: RequestContext): RunHookScript {
  return async ({ hook, caseTypeCode, payload, options, ...script }) => {
    // Read here, because a context makes its log on first use.
    const { tasks, caller, parentRun, signal, log, onRun } = context
    const input = {
      name: hook.functionName,
      sourceCode: hook.sourceCode,
      inputDocument: payload,
      options,
      metadata: { caseTypeCode, accountNickname: null },
    }
    const rights = withScopes(caller, hook.scopes)
    const request = { input, ...script, caller: rights, parentRun, signal, log, onRun }
    const { id, outcome, message, error } = await tasks.execute(request)
    const mayReadRuns = hasScope(caller, 'runs:read')
    return { id, outcome, message, error: error && (mayReadRuns ? { ...error } : { code: error.code }) }
  }
}
