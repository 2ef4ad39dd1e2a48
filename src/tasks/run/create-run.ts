import { randomUUID } from 'node:crypto'
import type { RunLimits } from '../../config.ts'
import type { RunCause } from '../../domain/runs/run-cause.ts'
import { RostrumError } from '../../errors.ts'
import type { CheckedTask } from '../input/read-task-input.ts'
import { continueOrStart } from '../input/transaction.ts'
import type { ExecuteRequest } from '../task-runner.ts'
import type { Generation, Run } from './run.ts'

const never = Number.POSITIVE_INFINITY
const firstGeneration: Generation = { number: 0, onTooDeep: () => undefined }

export interface RunCreation {
  readonly request: ExecuteRequest
  readonly task: CheckedTask
  readonly limits: RunLimits
  readonly startedAt: number
  /** Aborted when the run ends. */
  readonly signal: AbortSignal
}

/** Creates the run of a checked task. Throws `TOO_DEEP` if it is nested too deeply (contract, "Limits"). */
export function createRun({ request, task, limits, startedAt, signal }: RunCreation): Run {
  const { parentRun, caller, cause, deadline, generation = firstGeneration } = request
  const depth = (parentRun?.depth ?? 0) + 1
  if (depth > limits.depth) {
    throw new RostrumError(
      'TOO_DEEP',
      `Runs inside runs may go ${limits.depth} deep; this one would go deeper.`,
    )
  }
  return {
    id: randomUUID(),
    name: task.name,
    functionName: cause.function?.name ?? null,
    caller,
    transaction: continueOrStart({
      given: task.options.members.get('requestContext'),
      parent: parentRun?.transaction ?? null,
      cause,
      caseTypeCode: task.caseTypeCode,
      name: task.name,
    }),
    savingCases: findSavingCases(cause, parentRun),
    dryRun: cause.dryRun || (parentRun?.dryRun ?? false),
    generation: parentRun?.generation ?? generation,
    depth,
    deadline: Math.min(startedAt + limits.timeoutMs, deadline ?? never, parentRun?.deadline ?? never),
    signal,
  }
}

const noCases: ReadonlySet<number> = new Set()

// Hooks after a save and other scripts may save their case.
function findSavingCases(
  { trigger, event, case: own }: RunCause,
  parentRun: Run | null,
): ReadonlySet<number> {
  const ofParent = parentRun?.savingCases ?? noCases
  const isSaving = trigger === 'task' || event === 'pre-save' || event === 'pre-delete'
  const id = own?.id ?? null
  return isSaving && id !== null ? new Set([...ofParent, id]) : ofParent
}
