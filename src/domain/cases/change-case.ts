import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { JsonText } from '../../json/json-text.ts'
import type { JsonObject } from '../../json/read-json.ts'
import type { FindHooks } from '../hooks/find-hooks.ts'
import type { LiveHook } from '../hooks/hook-store.ts'
import { type RunHookScript, runHooks } from '../hooks/run-hooks.ts'
import type { HeldRuns } from '../runs/hold-runs.ts'
import type { Origin } from '../store.ts'
import { writeCaseData } from './case-data.ts'
import { noCase, ownCase, staleCase, tooManyConflicts } from './case-failures.ts'
import type { Case, CaseStore, CaseType } from './case-store.ts'
import type { CaseTurns } from './case-turns.ts'
import { findValues } from './case-values.ts'
import { type ChangedField, compareFields, readChangedFields, writeChangedFields } from './changed-fields.ts'
import type { WrittenData } from './read-exit.ts'

const maxAttempts = 3
// Another gateway holds the lease for the time of one save.
const lookEachMs = 20

/** A save or a delete. */
export interface ChangeRequest {
  readonly origin: Origin
  /** Null to create a case. */
  readonly id: number | null
  readonly ifVersions: readonly number[] | null
  readonly dryRun: boolean
  /** True if a running script asks. Such a change never waits for a turn. */
  readonly isInner: boolean
  /** Cases that the transaction is saving already. A change of one of them is `CONFLICT` at once. */
  readonly savingCases: ReadonlySet<number>
  /** The stored function whose run asks; null without one. */
  readonly functionName: string | null
  readonly runHook: RunHookScript
  /** Aborted when the client goes away, which ends the change unless it is committed. */
  readonly signal: AbortSignal
  /** Of `performance.now()`. */
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
  readonly holdRuns: () => HeldRuns
}

export interface ChangedCase {
  /** The case after the change; for a delete as it was, for a dry run as it is. Null for a dry run that creates one. */
  readonly row: Case | null
  readonly isSaved: boolean
  readonly changed: readonly ChangedField[]
  readonly changedFields: JsonText
  /** The runs of the hooks that decided the change. */
  readonly runs: Pick<HeldRuns, 'runIds' | 'whenKept'>
}

/**
 * The one way to change a case (contract, section 7), by these numbered steps. `ask` gives what the request wants of
 * the case as it was read, and so merges again after a conflict.
 */
export async function changeCase(
  parts: ChangeParts,
  request: ChangeRequest,
  steps: ChangeSteps,
): Promise<ChangedCase> {
  const { origin, id, signal, deadline, savingCases } = request
  const { accountCode } = origin
  if (id !== null && savingCases.has(id)) throw ownCase(id)

  // 1. What a request repeats under its idempotency key was committed, whatever the version is now.
  const earlier = await parts.store.findCommitted(origin)
  if (earlier !== null) {
    const { row, changedFields, runIds } = earlier
    const runs = { runIds, whenKept: async () => undefined }
    return { row, isSaved: true, changed: readChangedFields(changedFields.text), changedFields, runs }
  }
  const change = { parts, request, steps }
  const first = await beginAttempt(change, 1)

  // 2.
  if (id === null || request.isInner || request.dryRun) return attemptAll(change, first)
  const turn = await parts.turns.take({ accountCode, id, deadline, signal })
  try {
    return await attemptAll(change, turn.hasWaited ? await beginAttempt(change, 1) : first)
  } finally {
    turn.end()
  }
}

interface ChangeSteps {
  readonly event: 'pre-save' | 'pre-delete'
  /** The type of a case, or of the one to be created. */
  readonly findType: (row: Case | null) => Promise<CaseType | null>
  /** Throws what is wrong with the request. */
  readonly ask: (read: ReadCase) => Wanted
}

interface Change {
  readonly parts: ChangeParts
  readonly request: ChangeRequest
  readonly steps: ChangeSteps
}

/** What one attempt read, and what it wants to write. */
interface Attempt extends ReadCase {
  /** From 1. */
  readonly count: number
  readonly caseTypeCode: string
  /** Null to delete the case. */
  readonly wanted: WrittenData | null
  readonly hooks: readonly LiveHook[]
}

async function attemptAll(change: Change, first: Attempt): Promise<ChangedCase> {
  const { store } = change.parts
  const { id, origin } = change.request
  const leaseHolder = randomUUID()
  let holdsLease = false
  let attempt = first
  const tryAgain = async ({ count }: Attempt): Promise<Attempt> => {
    if (count === maxAttempts) throw tooManyConflicts(id)
    if (id !== null) holdsLease = await takeLease(store, change.request, { id, holder: leaseHolder })
    return beginAttempt(change, count + 1)
  }
  try {
    for (;;) {
      const runs = change.parts.holdRuns()
      let state: 'ended' | 'superseded' = 'ended'
      try {
        const done = await tryToChange(change, attempt, { leaseHolder, runs })
        if (done !== null) return done
        attempt = await tryAgain(attempt)
        state = 'superseded'
      } finally {
        runs.keep(state)
      }
    }
  } finally {
    if (holdsLease && id !== null) {
      await store.release(origin.accountCode, id, leaseHolder).catch(() => undefined)
    }
  }
}

/** Step 1 of one attempt. The type comes before its hooks: the commit compares its revision. */
async function beginAttempt({ parts, request, steps }: Change, count: number): Promise<Attempt> {
  const { row, data } = await readRow(parts.store, request)
  const type = await steps.findType(row)
  const read = { row, data, type }
  const asked = steps.ask(read)
  const wanted = asked.data === null ? null : { data: asked.data, text: writeCaseData(asked.data) }
  const hooks = await parts.findHooks(request.origin.accountCode, type, steps.event)
  return { ...read, count, caseTypeCode: asked.caseTypeCode, wanted, hooks }
}

async function readRow(store: CaseStore, { origin, id, ifVersions }: ChangeRequest) {
  if (id === null) return { row: null, data: null }
  const [row] = await store.findByIds(origin.accountCode, [id])
  if (row === undefined) throw noCase(id)
  if (ifVersions !== null && !ifVersions.includes(row.version)) throw staleCase(id, row.version)
  return { row, data: JSON.parse(row.data?.text ?? '{}') as JsonObject }
}

/** Steps 3 to 7 of one attempt; null if the case or its type has moved on. */
async function tryToChange(
  { parts: { store }, request }: Change,
  attempt: Attempt,
  { leaseHolder, runs }: { readonly leaseHolder: string; readonly runs: HeldRuns },
): Promise<ChangedCase | null> {
  const { origin, dryRun, signal, deadline, runHook, functionName } = request
  const { row, data: stored, type, caseTypeCode } = attempt
  // 3 and 4.
  const { transactionId } = origin
  const { hooks, wanted, count } = attempt
  const data = await runHooks({
    ...{ row, stored, caseTypeCode, wanted, hooks, transactionId, attempt: count },
    ...{ dryRun, deadline, signal, runHook, recorder: runs },
  })
  const changed = compareFields(data?.data ?? null, stored)
  const text = writeChangedFields(changed)
  const outcome = { row, changed, changedFields: new JsonText(text), runs }
  // 5.
  const isEqual = row !== null && data !== null && changed.length === 0
  if (dryRun || isEqual) return { ...outcome, isSaved: false }
  // 6. A client that goes away after this ends nothing.
  const written = hooks.length === 0 ? null : await runs.prepare()
  signal.throwIfAborted()
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
    runIds: runs.runIds,
    leaseHolder,
  })
  // 7.
  if (done.kind === 'moved') return null
  // Another attempt at the same step of a request may have committed first.
  if (done.runIds.join() === runs.runIds.join()) runs.settle()
  return { ...outcome, isSaved: true, row: data === null ? row : done.row }
}

function writeValues(data: JsonObject | null, type: CaseType | null) {
  if (data === null || type === null || type.writtenFields.length === 0) return null
  return findValues(data, type.writtenFields)
}

// First attempts of other gateways fail while it is held. Without it at the deadline, the attempt goes on all the same.
// A change that a script asks for does not wait: the holder may be waiting for what its transaction holds.
async function takeLease(
  store: CaseStore,
  { origin: { accountCode }, deadline, signal, isInner }: ChangeRequest,
  { id, holder }: { readonly id: number; readonly holder: string },
): Promise<boolean> {
  for (;;) {
    const ms = Math.max(1, Math.ceil(deadline - performance.now()))
    if (await store.lease(accountCode, id, { holder, ms })) return true
    if (isInner || performance.now() + lookEachMs >= deadline) return false
    await sleep(lookEachMs, undefined, { signal })
  }
}
