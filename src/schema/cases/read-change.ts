import type { RequestContext } from '../../context.ts'
import { hasScope } from '../../credentials/caller.ts'
import type { RunHookScript } from '../../domain/hooks/run-hooks.ts'
import { runTrigger } from '../tasks/run-trigger.ts'

/** Descriptions of arguments of changes. */
export const changeArguments = {
  ifVersions: 'If given, the case must be at one of these versions. Otherwise: `PRECONDITION_FAILED`.',
  dryRun: 'Checks and compares everything, and stores nothing.',
} as const

interface GivenChange {
  readonly ifVersions?: readonly number[] | null | undefined
  readonly dryRun: boolean
}

const noCases: ReadonlySet<number> = new Set()
const ofRequest = { number: 0, onTooDeep: () => undefined }

/** The parts of a change that follow from its operation. */
export function readChange(context: RequestContext, { ifVersions = null, dryRun }: GivenChange) {
  const { origin, signal, deadline, parentRun, caller } = context
  const { userId, subject, email, displayName } = caller
  return {
    ...{ origin, signal, deadline, ifVersions, dryRun },
    isInner: parentRun !== null,
    savingCases: parentRun?.savingCases ?? noCases,
    causedBy: { userId, subject, email, displayName },
    generation: parentRun?.generation ?? ofRequest,
    functionName: parentRun?.functionName ?? null,
    runHook: createRunHook(context),
    work: context.createLongWork(),
  }
}

// Gives as much of a hook's error as the caller may read.
function createRunHook(context: RequestContext): RunHookScript {
  const mayReadRuns = hasScope(context.caller, 'runs:read')
  return async ({ hook, ...script }) => {
    const running = runTrigger(context, { name: hook.functionName, trigger: hook, ...script })
    const { id, outcome, message, error } = await running
    return { id, outcome, message, error: error && (mayReadRuns ? { ...error } : { code: error.code }) }
  }
}
