import { randomUUID } from 'node:crypto'
import { RostrumError } from '../../errors.ts'
import type { JsonText } from '../../json/json-text.ts'
import type { LongWork } from '../../limits/long-work.ts'
import { type ExitError, readExit } from '../cases/read-exit.ts'
import { noVersion } from '../functions/function-refusals.ts'
import type { RunnableFunction } from '../functions/function-store.ts'
import { isHash } from '../functions/functions.ts'
import { endpointCause, type RunCause, triggerWithScopes } from './run-cause.ts'
import type { KeptRun, RunStore, RunText } from './run-store.ts'

export interface Replay {
  /** The version of the function to run, live or not; null leaves it to `version`. */
  readonly functionVersion: string | null
  /** Which version of the function runs: the one that ran, or the one that is live now. */
  readonly version: 'original' | 'live'
  /** True if it must change nothing. */
  readonly dryRun: boolean
}

/** A run's script with its kept input. Its texts are JSON. */
export interface ReplayScript {
  readonly name: string
  readonly caseTypeCode: string | null
  readonly sourceCode: string
  readonly payload: string
  readonly options: string
  readonly cause: RunCause
  /** The scopes of the original run. */
  readonly scopes: readonly string[]
  /** The trigger whose scopes these are; null if they are those of a caller. */
  readonly rightsOf: ReturnType<typeof triggerWithScopes>
  /** Null if `exit` may have any value. */
  readonly refuseResult: ((payload: JsonText, work: LongWork) => Promise<ExitError | null>) | null
}

export interface ReplayParts {
  readonly store: Pick<RunStore, 'findTexts' | 'findByRunIds'>
  findLive(
    accountCode: string,
    functionId: number,
  ): Promise<Pick<RunnableFunction, 'hash' | 'sourceCode'> | null>
  /** Also of a function that was removed. */
  findSource(accountCode: string, functionId: number, hash: string): Promise<string | null>
}

/**
 * Reads what it takes to run a kept input again, under a new transaction (contract, section 8). `CONFLICT` for a run
 * that replays dry only, and for one whose input or script is not kept. `NOT_FOUND` for a version that its
 * function does not have.
 */
export async function prepareReplay(
  parts: ReplayParts,
  accountCode: string,
  { run, dryRun, ...chosen }: Replay & { readonly run: KeptRun },
): Promise<ReplayScript> {
  if (!dryRun && isDryOnly(run)) {
    throw conflict(
      run,
      'decided a save or was dry, so its replay must not change anything: pass `dryRun: true`',
    )
  }
  const { functionId } = run
  if (functionId === null) throw conflict(run, 'came with its script, which is not kept')
  const found = await findScript(parts, accountCode, run, chosen)
  const [payload, options] = await Promise.all([
    readText(parts, accountCode, run, 'input'),
    readText(parts, accountCode, run, 'options'),
  ])
  const { name, event, caseId, caseVersion, trigger } = run
  return {
    name,
    caseTypeCode: readCaseTypeCode(run),
    sourceCode: found.sourceCode,
    payload,
    options,
    scopes: run.scopes,
    rightsOf: await findRightsOf(parts, accountCode, run),
    cause: {
      ...endpointCause,
      trigger: 'replay',
      event,
      function: { id: functionId, name, hash: found.hash },
      case: caseId === null ? null : { id: caseId, version: caseVersion },
      replayOf: run.runId,
      dryRun,
      txnId: randomUUID(),
    },
    refuseResult: exitsData(run) ? (given, work) => refuseResultOf(trigger, given, work) : null,
  }
}

/**
 * The trigger of the run, or of the run that it replays, if its runs have its scopes. Null for a replay whose original
 * is not kept any more.
 */
async function findRightsOf({ store }: ReplayParts, accountCode: string, run: KeptRun) {
  let original: KeptRun | undefined = run
  for (let count = 0; original?.trigger === 'replay' && count < maxReplaysOfReplays; count++) {
    const replayOf: string | null = original.replayOf
    original = replayOf === null ? undefined : (await store.findByRunIds(accountCode, [replayOf]))[0]
  }
  return original === undefined ? null : triggerWithScopes(original.trigger)
}

const maxReplaysOfReplays = 16

function exitsData({ event, trigger }: KeptRun): boolean {
  return event === 'pre-save' || trigger === 'task'
}

// A task saves nothing by `exit(null)`.
async function refuseResultOf(
  trigger: KeptRun['trigger'],
  given: JsonText,
  work: LongWork,
): Promise<ExitError | null> {
  const read = trigger === 'task' && given.text === 'null' ? null : await readExit(given, work)
  return read !== null && 'code' in read ? read : null
}

// A replay of one of these was dry itself.
function isDryOnly({ trigger, event, dryRun }: KeptRun): boolean {
  return dryRun || trigger === 'task' || event === 'pre-save' || event === 'pre-delete'
}

async function findScript(
  { findLive, findSource }: ReplayParts,
  accountCode: string,
  run: KeptRun & { readonly functionId: number | null },
  chosen: Omit<Replay, 'dryRun'>,
): Promise<{ readonly hash: string; readonly sourceCode: string }> {
  const { functionId, functionVersion: original } = run
  if (chosen.functionVersion === null && chosen.version === 'live') {
    const live = await findLive(accountCode, functionId ?? 0)
    if (live === null) throw conflict(run, 'has no live version: its function was removed')
    return live
  }
  const hash = chosen.functionVersion ?? original
  const isNamed = hash !== null && isHash(hash)
  const sourceCode = isNamed ? await findSource(accountCode, functionId ?? 0, hash) : null
  if (isNamed && sourceCode !== null) return { hash, sourceCode }
  if (chosen.functionVersion !== null) throw noVersion(chosen.functionVersion)
  throw conflict(run, 'ran a version that is not kept')
}

async function readText(
  { store }: ReplayParts,
  accountCode: string,
  run: KeptRun,
  kind: Extract<RunText, 'input' | 'options'>,
): Promise<string> {
  const [found] = await store.findTexts(accountCode, kind, [run.id])
  const text = found?.text ?? null
  if (text === null) throw conflict(run, `has no \`${kind}\` that is kept`)
  return text
}

/** From `<trigger>|<case type code>/<name>|<time>`. */
function readCaseTypeCode({ txnSource }: KeptRun): string | null {
  const code = /^[^|]*\|([^/|]{1,200})\//.exec(txnSource)?.[1] ?? '-'
  return code === '-' ? null : code
}

function conflict({ runId }: KeptRun, why: string): RostrumError {
  return new RostrumError('CONFLICT', `Run \`${runId}\` ${why}.`, { reason: 'NOT_REPLAYABLE' })
}
