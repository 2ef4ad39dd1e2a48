import type { LongWork } from '../../fairness/long-work.ts'
import { JsonText } from '../../json/json-text.ts'
import type { JsonObject } from '../../json/read-json.ts'
import { readStored } from '../../json/read-stored.ts'
import { isLong, writeCaseData } from '../case-data/case-data.ts'
import { findValues } from '../case-data/case-values.ts'
import { type ChangedField, describeChange } from '../case-data/changed-fields.ts'
import type { Origin } from '../port.ts'
import type { DeferredRuns } from '../runs/deferred-runs.ts'
import { firstGeneration, type Generation } from '../scripts/run.ts'
import type { Asking, Scripts } from '../scripts/script.ts'
import type { HooksToQueue } from '../triggers/trigger-store.ts'
import { noCase, refuseStale } from './case-failures.ts'
import type { Case, CaseStore, CaseType } from './case-store.ts'
import type { CaseTurns } from './case-turns.ts'
import type { FindHooks } from './find-hooks.ts'
import { refuseTooDeep } from './queue-hooks.ts'
import { type HookedAttempt, runHooks } from './run-hooks.ts'

/** A request to save or delete a case. */
export interface ChangeRequest {
  readonly origin: Origin
  /** The id of the case; null to create one. */
  readonly id: number | null
  readonly ifVersions: readonly number[] | null
  readonly dryRun: boolean
  /**
   * What the change runs for: a request or a running script. A change from a running script never waits for a turn; it
   * fails at once with `CONFLICT` for a case that its transaction is already saving. If the client disconnects before
   * the commit, the change ends.
   */
  readonly asking: Asking
  /** The name of the stored function whose run asks for the change; null without one. */
  readonly functionName: string | null
  /** Splits the work on long data (parse, merge, write, compare) into steps. */
  readonly work: LongWork
  /** The time limit of the change, in milliseconds of `performance.now()`. */
  readonly deadline: number
}

/** The case and its type as one attempt read them. */
export interface ReadCase {
  readonly row: Case | null
  readonly data: JsonObject | null
  readonly type: CaseType | null
}

/** The state of the case that a request asks for. */
export interface Wanted {
  readonly caseTypeCode: string
  /** The data; null to delete the case. */
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
   * The case after the change. After a delete it is the deleted case. In a dry run it is the unchanged case, or null
   * for a case that does not exist yet.
   */
  readonly row: Case | null
  readonly isSaved: boolean
  readonly changed: readonly ChangedField[]
  readonly changedFields: JsonText
  /** The data after the change, or as a dry run would make it, as JSON; null for a delete. */
  readonly data: string | null
  /** The transaction of the change: that of an earlier request with the same key if it made the change. */
  readonly transactionId: string
  /** The runs that decided the change: first the run of its task, then the runs of its hooks. */
  readonly runs: Pick<DeferredRuns, 'runIds' | 'whenKept'>
}

/** What differs between a save and a delete. */
export interface ChangeSteps {
  readonly change: 'save' | 'delete'
  /** Returns the type of the case to create; null if there is no such type. */
  readonly findNewType: () => Promise<CaseType | null>
  /** Returns the state that the request asks for. Throws if the request is wrong. */
  readonly ask: (read: ReadCase) => Wanted
}

/** A change with what all its attempts share. */
export interface Change {
  readonly parts: ChangeParts
  readonly request: ChangeRequest
  readonly steps: ChangeSteps
}

/** What one attempt read, and what it wants to write. */
export interface Attempt extends HookedAttempt, ReadCase {
  /** The hooks that run after the change; null if there are none. */
  readonly after: HooksToQueue | null
}

/** Step 1 of an attempt. Reads the type before its hooks, because the commit compares the type's revision. */
export async function beginAttempt({ parts, request, steps }: Change, count: number): Promise<Attempt> {
  const read = await readCase(parts.store, request, steps)
  const { row, type } = read
  if (isLong(row?.dataBytes)) await request.work.step()
  const asked = steps.ask(read)
  if (isLong(row?.dataBytes)) await request.work.step()
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

async function readCase(
  store: CaseStore,
  { origin, id, ifVersions, work }: ChangeRequest,
  steps: ChangeSteps,
): Promise<ReadCase> {
  if (id === null) return { row: null, data: null, type: await steps.findNewType() }
  const found = await store.findWithType(origin.accountCode, id)
  if (found === null) throw noCase(id)
  const { row, type } = found
  refuseStale(row, ifVersions)
  if (isLong(row.dataBytes)) await work.step()
  const place = { table: 'cases', column: 'data', id }
  return { row, data: readStored<JsonObject>(row.data?.text ?? '{}', place), type }
}

/** Steps 3 to 7 of an attempt, as contract section 7 numbers them. Returns null if the case or its type has changed. */
export async function tryToChange(
  { parts: { store, scripts }, request }: Change,
  attempt: Attempt,
  { leaseHolder, runs }: { readonly leaseHolder: string; readonly runs: DeferredRuns },
): Promise<ChangedCase | null> {
  const { origin, dryRun, asking, functionName, work } = request
  const { row, data: stored, type, caseTypeCode, after } = attempt
  // 3 and 4. Runs the hooks before the change, one after the other, until one refuses.
  const data = await runHooks({ request, attempt, scripts, recorder: runs })
  const { changed, text } = await describeChange(data, { data: stored, length: row?.dataBytes ?? 0 }, work)
  const { runIds, whenKept } = runs
  const outcome = {
    row,
    changed,
    changedFields: new JsonText(text),
    data: data?.text ?? null,
    transactionId: origin.transactionId,
    runs: { runIds, whenKept },
  }
  // 5. If nothing changed, there is nothing to store.
  const isEqual = row !== null && data !== null && changed.length === 0
  if (dryRun || isEqual) return { ...outcome, isSaved: false }
  // 6. Commits. From here on, a disconnecting client does not stop the change.
  if (after !== null) refuseTooDeep(generationOf(request))
  const written = await runs.prepare()
  asking.signal.throwIfAborted()
  // This process may have hung while a hook ran, longer than the lease of the queued run that asks.
  asking.parentRun?.checkLease?.()
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
  // 7. Answers, unless another change was committed first.
  if (done.kind === 'conflict') return null
  // The commit may have returned the result of another attempt at this step. Then these runs were not written.
  if (done.runIds.join() === runIds.join()) runs.markWritten()
  const made = { isSaved: true, row: data === null ? row : done.row, transactionId: done.transactionId }
  return { ...outcome, ...made }
}

function writeValues(data: JsonObject | null, type: CaseType | null) {
  if (data === null || type === null || type.writtenFields.length === 0) return null
  return findValues(data, type.writtenFields)
}
