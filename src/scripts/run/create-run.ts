import type { RunLimits } from '../../config.ts'
import { type Caller, withScopes } from '../../credentials/caller.ts'
import { type CaseChangeKind, firstGeneration, type Run } from '../../domain/scripts/run.ts'
import type { RunCause } from '../../domain/scripts/run-cause.ts'
import type { Asking, RunSettings, ScriptRights } from '../../domain/scripts/script.ts'
import { RostrumError } from '../../errors.ts'
import { newGuid } from '../../guid.ts'
import type { LateSignal } from '../../signals/late-signal.ts'
import type { CheckedScript } from '../input/read-script.ts'
import { continueOrStart } from '../input/transaction.ts'

const never = Number.POSITIVE_INFINITY

export interface RunCreation {
  readonly script: CheckedScript
  readonly asking: Asking
  readonly settings: RunSettings
  readonly limits: RunLimits
  readonly startedAt: number
  /** Aborted when the run ends. */
  readonly ended: LateSignal
}

/** Creates the run of a checked script. Throws `TOO_DEEP` if it is nested too deeply (contract, "Limits"). */
export function createRun({ script, asking, settings, limits, startedAt, ended }: RunCreation): Run {
  const { parentRun } = asking
  const { name, cause, caseTypeCode, options } = script
  const { deadline, generation = firstGeneration, checkLease = null } = settings
  const depth = (parentRun?.depth ?? 0) + 1
  if (depth > limits.depth) {
    throw new RostrumError(
      'TOO_DEEP',
      `Runs inside runs may go ${limits.depth} deep; this one would go deeper.`,
    )
  }
  return {
    id: newGuid(),
    name,
    functionName: cause.function?.name ?? null,
    caller: withRights(asking.caller, script.rights),
    transaction: continueOrStart({
      given: options.members.get('requestContext'),
      parent: parentRun?.transaction ?? null,
      cause,
      caseTypeCode,
      name,
    }),
    changingCases: findChangingCases(cause, parentRun),
    dryRun: cause.dryRun || (parentRun?.dryRun ?? false),
    generation: parentRun?.generation ?? generation,
    depth,
    deadline: Math.min(startedAt + limits.timeoutMs, deadline ?? never, parentRun?.deadline ?? never),
    checkLease: parentRun?.checkLease ?? checkLease,
    get signal() {
      return ended.signal
    },
  }
}

function withRights(caller: Caller, rights: ScriptRights): Caller {
  return rights === 'caller' ? caller : withScopes(caller, rights.scopes, rights.of)
}

const noCases: ReadonlyMap<number, CaseChangeKind> = new Map()

// Returns the cases that the run's transaction is changing and that its calls must not change. A hook after a save, and
// every other kind of script, may save its own case.
function findChangingCases(
  { trigger, event, case: own }: RunCause,
  parentRun: Run | null,
): ReadonlyMap<number, CaseChangeKind> {
  const ofParent = parentRun?.changingCases ?? noCases
  const isChanging = trigger === 'task' || event === 'pre-save' || event === 'pre-delete'
  const id = own?.id ?? null
  if (!isChanging || id === null) return ofParent
  return new Map([...ofParent, [id, event === 'pre-delete' ? 'delete' : 'save']])
}
