import type { LongWork } from '../../fairness/long-work.ts'
import { JsonText } from '../../json/json-text.ts'
import type { JsonObject } from '../../json/read-json.ts'
import { readStored } from '../../json/read-stored.ts'
import { waitIfLong, writeCaseData } from '../case-data/case-data.ts'
import { findValues } from '../case-data/case-values.ts'
import { type ChangedField, describeChange } from '../case-data/changed-fields.ts'
import type { WrittenData } from '../case-data/read-exit.ts'
import type { Origin } from '../port.ts'
import type { DeferredRuns } from '../runs/deferred-runs.ts'
import { firstGeneration, type Generation } from '../scripts/run.ts'
import type { Asking, Scripts } from '../scripts/script.ts'
import type { HooksToQueue, LiveHook } from '../triggers/trigger-store.ts'
import { noCase, staleCase } from './case-failures.ts'
import type { Case, CaseStore, CaseType } from './case-store.ts'
import type { CaseTurns } from './case-turns.ts'
import type { FindHooks } from './find-hooks.ts'
import { refuseTooDeep } from './queue-hooks.ts'
import { runHooks } from './run-hooks.ts'

/** A save or a delete. */
export interface ChangeRequest {
  readonly origin: Origin
  /** Null to create a case. */
  readonly id: number | null
  readonly ifVersions: readonly number[] | null
  readonly dryRun: boolean
  /**
   * What asks for the change. A change from a running script never waits for a turn: it fails at once with `CONFLICT`
   * for a case that its transaction is already saving. A client that disconnects ends a change that is not committed.
   */
  readonly asking: Asking
  /** The stored function whose run asks; null without one. */
  readonly functionName: string | null
  /** Splits the work on long data into steps: parse, merge, write, compare. */
  readonly work: LongWork
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number
}

/** The case and its type as one attempt read them. */
export interface ReadCase {
  readonly row: Case | null
  readonly data: JsonObject | null
  readonly type: CaseType | null
}

/** The state that a request asks for. */
export interface Wanted {
  readonly caseTypeCode: string
  /** Null to delete the case. */
  readonly data: JsonObject | null
}

export interface ChangeParts {
  readonly store: CaseStore
  readonly turns: CaseTurns
  readonly findHooks: FindHooks
  readonly scripts: Scripts
  readonly deferRuns: () => DeferredRuns
}

export interface ChangedCase {
  /**
   * The case after the change. For a delete, the case before it; for a dry run, the unchanged case, or null if it would
   * be created.
   */
  readonly row: Case | null
  readonly isSaved: boolean
  readonly changed: readonly ChangedField[]
  readonly changedFields: JsonText
  /** The JSON of the data after the change, or as a dry run would make them; null for a delete. */
  readonly data: string | null
  /** The runs that decided the change: first the run of its task, then the runs of hooks. */
  readonly runs: Pick<DeferredRuns, 'runIds' | 'whenKept'>
}

/** What differs between a save and a delete. */
export interface ChangeSteps {
  readonly change: 'save' | 'delete'
  /** The type of a case, or of the one to be created. */
  readonly findType: (row: Case | null) => Promise<CaseType | null>
  /** Throws an error if the request is wrong. */
  readonly ask: (read: ReadCase) => Wanted
}

/** A change and what it needs, the same for all attempts. */
export interface Change {
  readonly parts: ChangeParts
  readonly request: ChangeRequest
  readonly steps: ChangeSteps
}

/** What one attempt read, and what it wants to write. */
export interface Attempt extends ReadCase {
  /** From 1. */
  readonly count: number
  readonly caseTypeCode: string
  /** Null to delete the case. */
  readonly wanted: WrittenData | null
  readonly hooks: readonly LiveHook[]
  /** The hooks that run after the change; null without any. */
  readonly after: HooksToQueue | null
}

/** Step 1 of one attempt. Reads the type before its hooks, because the commit compares the type's revision. */
export async function beginAttempt({ parts, request, steps }: Change, count: number): Promise<Attempt> {
  const { row, data } = await readRow(parts.store, request)
  const type = await steps.findType(row)
  const read = { row, data, type }
  await waitIfLong(row?.dataBytes, request.work)
  const asked = steps.ask(read)
  await waitIfLong(row?.dataBytes, request.work)
  const wanted = asked.data === null ? null : { data: asked.data, text: writeCaseData(asked.data) }
  const { caseTypeCode } = asked
  const { before, after } = await parts.findHooks(request.origin.accountCode, type, steps.change)
  const shared = { count, caseTypeCode, wanted, hooks: before }
  return { ...read, ...shared, after: toQueue(after, { parts, request, steps }) }
}

function toQueue(hooks: HooksToQueue['hooks'], { request, steps }: Change): HooksToQueue | null {
  if (hooks.length === 0) return null
  const { userId, subject, email, displayName } = request.asking.caller
  const causedBy = { userId, subject, email, displayName }
  const generation = generationOf(request)
  return { event: `post-${steps.change}`, hooks, causedBy, generation: generation.number }
}

function generationOf({ asking: { parentRun } }: ChangeRequest): Generation {
  return parentRun?.generation ?? firstGeneration
}

async function readRow(store: CaseStore, request: ChangeRequest) {
  const { origin, id, ifVersions } = request
  if (id === null) return { row: null, data: null }
  const [row] = await store.findByIds(origin.accountCode, [id])
  if (row === undefined) throw noCase(id)
  if (ifVersions !== null && !ifVersions.includes(row.version)) throw staleCase(id, row.version)
  await waitIfLong(row.dataBytes, request.work)
  const place = { table: 'cases', column: 'data', id }
  return { row, data: readStored<JsonObject>(row.data?.text ?? '{}', place) }
}

/** Steps 3 to 7 of one attempt, as contract section 7 numbers them. Null if the case or its type has changed. */
export async function tryToChange(
  { parts: { store, scripts }, request }: Change,
  attempt: Attempt,
  { leaseHolder, runs }: { readonly leaseHolder: string; readonly runs: DeferredRuns },
): Promise<ChangedCase | null> {
  const { origin, dryRun, asking, deadline, functionName, work } = request
  const { row, data: stored, type, caseTypeCode, after } = attempt
  // 3 and 4. Runs the hooks, up to the first one that refuses.
  const { transactionId } = origin
  const { hooks, wanted, count } = attempt
  const data = await runHooks({
    ...{ row, stored, caseTypeCode, wanted, hooks, transactionId, attempt: count },
    ...{ dryRun, deadline, asking, scripts, recorder: runs, work },
  })
  const { changed, text } = await describeChange(data, { data: stored, length: row?.dataBytes ?? 0 }, work)
  const { runIds, whenKept } = runs
  const outcome = {
    row,
    changed,
    changedFields: new JsonText(text),
    data: data?.text ?? null,
    runs: { runIds, whenKept },
  }
  // 5. Nothing to store.
  const isEqual = row !== null && data !== null && changed.length === 0
  if (dryRun || isEqual) return { ...outcome, isSaved: false }
  // 6. Commits. From here on, a client that disconnects stops nothing.
  if (after !== null) refuseTooDeep(generationOf(request))
  const written = await runs.prepare()
  asking.signal.throwIfAborted()
  const done = await store.commit({
    origin,
    caseTypeCode,
    read: row,
    revision: type?.revision ?? 0,
    data: data?.text ?? null,
    values: writeValues(data?.data ?? null, type),
    changedFields: text,
    functionName,
    runs: written,
    runIds,
    after,
    previousData: data === null ? (row?.data?.text ?? null) : null,
    leaseHolder,
  })
  // 7. Answers, unless another change came first.
  if (done.kind === 'conflict') return null
  // Another attempt at the same step of a request may have committed first.
  if (done.runIds.join() === runIds.join()) runs.markWritten()
  return { ...outcome, isSaved: true, row: data === null ? row : done.row }
}

function writeValues(data: JsonObject | null, type: CaseType | null) {
  if (data === null || type === null || type.writtenFields.length === 0) return null
  return findValues(data, type.writtenFields)
}
