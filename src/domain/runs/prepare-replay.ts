import { scopes as allScopes, type Caller, hasScope } from '../../credentials/caller.ts'
import { RostrumError } from '../../errors.ts'
import type { LongWork } from '../../fairness/long-work.ts'
import { newGuid } from '../../guid.ts'
import { readExit } from '../case-data/read-exit.ts'
import { noVersion } from '../functions/function-refusals.ts'
import type { VersionToReplay } from '../functions/function-store.ts'
import { isHash } from '../functions/functions.ts'
import { makeCause, type RunFunction } from '../scripts/run-cause.ts'
import type { CheckExit, Script, ScriptRights } from '../scripts/script.ts'
import { isSavedTrigger, type RunTrigger } from '../scripts/trigger-kinds.ts'
import type { RunInputText, RunStore, StoredRun } from './run-store.ts'

export interface Replay {
  /** The version of the function to run, live or not; null leaves it to `version`. */
  readonly functionVersion: string | null
  /** Which version of the function runs: the one that ran, or the one that is live now. */
  readonly version: 'original' | 'live'
  /** True if the replay must change nothing. */
  readonly dryRun: boolean
  /** For the check of a long result. */
  readonly work: LongWork
}

export interface ReplayParts {
  readonly store: Pick<RunStore, 'findTexts' | 'findByRunIds'>
  findLive(accountCode: string, functionId: number): Promise<VersionToReplay | null>
  /** Also finds a version of a function that was removed. */
  findVersion(accountCode: string, functionId: number, hash: string): Promise<VersionToReplay | null>
}

/**
 * Reads what is needed to run a kept input again, in a new transaction (contract, section 8). `CONFLICT` for a run that
 * can only be replayed dry, and for a run whose input or script was deleted. `NOT_FOUND` for a version that its
 * function does not have. `caller` asks for the replay.
 */
export async function prepareReplay(
  parts: ReplayParts,
  caller: Caller,
  { run, dryRun, work, ...chosen }: Replay & { readonly run: StoredRun },
): Promise<Script> {
  const { accountCode } = caller
  if (!dryRun && isDryOnly(run)) {
    throw conflict(
      run,
      'decided a save or was dry, so its replay must not change anything: pass `dryRun: true`',
    )
  }
  const { version, sourceCode } = await findScript(parts, accountCode, run, chosen)
  const [payload, options] = await Promise.all([
    readText(parts, accountCode, run, 'input'),
    readText(parts, accountCode, run, 'options'),
  ])
  const { name, event, caseId, caseVersion } = run
  const trigger = await findFirstTrigger(parts, accountCode, run)
  return {
    name,
    caseTypeCode: readCaseTypeCode(run),
    sourceCode,
    payload,
    options,
    rights: findRights(caller, run, trigger),
    cause: makeCause({
      trigger: 'replay',
      event,
      function: version,
      case: caseId === null ? null : { id: caseId, version: caseVersion },
      replayOf: run.runId,
      dryRun,
      txnId: newGuid(),
    }),
    checkExit: event === 'pre-save' || trigger === 'task' ? createCheckExit(trigger, work) : null,
  }
}

// A replay of a trigger's run has the scopes of that run. Any other has only those that its caller has too, even if the
// run was somebody else's.
function findRights(caller: Caller, { scopes }: StoredRun, trigger: RunTrigger | null): ScriptRights {
  return trigger !== null && isSavedTrigger(trigger)
    ? { scopes, of: trigger }
    : { scopes: findCommonScopes(caller, scopes), of: null }
}

function findCommonScopes(caller: Caller, given: readonly string[]): readonly string[] {
  const ofRun = new Set(given)
  return allScopes.filter(scope => hasScope(caller, scope) && (ofRun.has(scope) || ofRun.has('admin')))
}

/** Returns the trigger of the run, or for a replay that of the first run. Null if the first run was deleted. */
async function findFirstTrigger(
  { store }: ReplayParts,
  accountCode: string,
  run: StoredRun,
): Promise<RunTrigger | null> {
  let original: StoredRun | undefined = run
  for (let count = 0; original?.trigger === 'replay' && count < maxReplaysOfReplays; count++) {
    const replayOf: string | null = original.replayOf
    original = replayOf === null ? undefined : (await store.findByRunIds(accountCode, [replayOf]))[0]
  }
  return original?.trigger ?? null
}

const maxReplaysOfReplays = 16

// `exit(null)` of a task saves nothing.
function createCheckExit(trigger: RunTrigger | null, work: LongWork): CheckExit {
  return async payload => {
    const read = trigger === 'task' && payload.text === 'null' ? null : await readExit(payload, work)
    return read !== null && 'code' in read ? read : null
  }
}

// True for a run that may only be replayed dry. A replay of such a run was dry itself.
function isDryOnly({ trigger, event, dryRun }: StoredRun): boolean {
  return dryRun || trigger === 'task' || event === 'pre-save' || event === 'pre-delete'
}

interface FoundScript {
  /** Null for a script that came with its request. */
  readonly version: RunFunction | null
  readonly sourceCode: string
}

async function findScript(
  parts: ReplayParts,
  accountCode: string,
  run: StoredRun,
  chosen: Pick<Replay, 'functionVersion' | 'version'>,
): Promise<FoundScript> {
  const { findLive, findVersion } = parts
  const { functionId, functionVersion: original } = run
  if (functionId === null) return findSentScript(parts, accountCode, run, chosen)
  // The run of a task or a webhook has the name of its trigger, not of the function.
  const toScript = ({ name, hash, sourceCode }: VersionToReplay): FoundScript => ({
    version: { id: functionId, name, hash },
    sourceCode,
  })
  if (chosen.functionVersion === null && chosen.version === 'live') {
    const live = await findLive(accountCode, functionId)
    if (live === null) throw conflict(run, 'has no live version: its function was removed')
    return toScript(live)
  }
  const hash = chosen.functionVersion ?? original
  const isNamed = hash !== null && isHash(hash)
  const found = isNamed ? await findVersion(accountCode, functionId, hash) : null
  if (found !== null) return toScript(found)
  if (chosen.functionVersion !== null) throw noVersion(chosen.functionVersion)
  throw conflict(run, 'ran a version that is not kept')
}

async function findSentScript(
  parts: ReplayParts,
  accountCode: string,
  run: StoredRun,
  { functionVersion, version }: Pick<Replay, 'functionVersion' | 'version'>,
): Promise<FoundScript> {
  if (functionVersion !== null || version === 'live')
    throw conflict(run, 'came with its script, so there is no other version of it: replay `ORIGINAL`')
  const text = await readText(parts, accountCode, run, 'source')
  return { version: null, sourceCode: JSON.parse(text) as string }
}

async function readText(
  { store }: ReplayParts,
  accountCode: string,
  run: StoredRun,
  kind: RunInputText,
): Promise<string> {
  const [found] = await store.findTexts(accountCode, kind, [run.id])
  const text = found?.text ?? null
  if (text === null) throw conflict(run, `has no \`${kind}\` that is kept`)
  return text
}

/**
 * From `<trigger>|<case type code>/<name>|<time>`. Null for a script that came with its request, which may have the
 * `txnSource` of the transaction that it continued.
 */
function readCaseTypeCode({ trigger, txnSource }: StoredRun): string | null {
  if (trigger === 'endpoint') return null
  const code = /^[^|]*\|([^/|]{1,200})\//.exec(txnSource)?.[1] ?? '-'
  return code === '-' ? null : code
}

function conflict({ runId }: StoredRun, why: string): RostrumError {
  return new RostrumError('CONFLICT', `Run \`${runId}\` ${why}.`, { reason: 'NOT_REPLAYABLE' })
}
