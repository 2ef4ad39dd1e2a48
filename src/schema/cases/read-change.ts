import type { RequestContext } from '../../context.ts'

/** Descriptions of arguments of changes. */
export const changeArguments = {
  ifVersions: 'If given, the case must be at one of these versions. Otherwise: `PRECONDITION_FAILED`.',
  dryRun: 'Runs the hooks before the change and checks `ifVersions`, but stores and queues nothing.',
} as const

interface GivenChange {
  readonly ifVersions?: readonly number[] | null | undefined
  readonly dryRun: boolean
}

/** The parts of a change that follow from its operation. */
export function readChange(context: RequestContext, { ifVersions = null, dryRun }: GivenChange) {
  const { origin, parentRun } = context
  return {
    origin,
    ifVersions,
    dryRun,
    deadline: context.deadlineFromNow(),
    asking: context,
    functionName: parentRun?.functionName ?? null,
    work: context.createLongWork(),
  }
}
