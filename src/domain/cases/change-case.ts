import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { JsonText } from '../../json/json-text.ts'
import type { JsonObject } from '../../json/read-json.ts'
import type { Origin } from '../store.ts'
import { writeCaseData } from './case-data.ts'
import { noCase, staleCase, tooManyConflicts } from './case-failures.ts'
import type { Case, CaseStore, CaseType } from './case-store.ts'
import type { CaseTurns } from './case-turns.ts'
import { findValues } from './case-values.ts'
import { type ChangedField, compareFields, readChangedFields, writeChangedFields } from './changed-fields.ts'

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
}

export interface ChangedCase {
  /** The case after the change; for a delete as it was, for a dry run as it is. Null for a dry run that creates one. */
  readonly row: Case | null
  readonly isSaved: boolean
  readonly changed: readonly ChangedField[]
  readonly changedFields: JsonText
}

/**
 * The one way to change a case (contract, section 7), by these numbered steps. `ask` gives what the request wants of
 * the case as it was read, and so merges again after a conflict; `runHooks` is steps 3 and 4.
 */
export async function changeCase(
  { store, turns }: ChangeParts,
  request: ChangeRequest,
  steps: ChangeSteps,
): Promise<ChangedCase> {
  const { origin, id, signal, deadline } = request
  const { accountCode } = origin

  // 1. What a request repeats under its idempotency key was committed, whatever the version is now.
  const earlier = await store.findCommitted(origin)
  if (earlier !== null) {
    const { row, changedFields } = earlier
    return { row, isSaved: true, changed: readChangedFields(changedFields.text), changedFields }
  }
  const read = await readCase(store, request, steps)
  steps.ask(read)

  // 2.
  if (id === null || request.isInner || request.dryRun) return attemptAll(store, request, { ...steps, read })
  const turn = await turns.take({ accountCode, id, deadline, signal })
  try {
    const readNow = turn.hasWaited ? await readCase(store, request, steps) : read
    return await attemptAll(store, request, { ...steps, read: readNow })
  } finally {
    turn.end()
  }
}

interface Attempt extends ChangeSteps {
  readonly read: ReadCase
}

async function attemptAll(store: CaseStore, request: ChangeRequest, first: Attempt): Promise<ChangedCase> {
  const { id, origin } = request
  const leaseHolder = randomUUID()
  let holdsLease = false
  let attempt = first
  try {
    for (let count = 1; ; count++) {
      const done = await tryToChange(store, request, { ...attempt, leaseHolder })
      if (done !== null) return done
      if (count === maxAttempts) throw tooManyConflicts(id)
      if (id !== null) holdsLease = await takeLease(store, request, { id, holder: leaseHolder })
      attempt = { ...first, read: await readCase(store, request, first) }
    }
  } finally {
    if (holdsLease && id !== null) {
      await store.release(origin.accountCode, id, leaseHolder).catch(() => undefined)
    }
  }
}

/** Steps 3 to 7 of one attempt; null if the case or its type has moved on. */
async function tryToChange(
  store: CaseStore,
  { origin, dryRun, signal }: ChangeRequest,
  { read, ask, runHooks = keep, leaseHolder }: Attempt & { readonly leaseHolder: string },
): Promise<ChangedCase | null> {
  // 3 and 4.
  const wanted = await runHooks(ask(read), read)
  const data = wanted.data === null ? null : writeCaseData(wanted.data)
  const changed = compareFields(wanted.data, read.data)
  const text = writeChangedFields(changed)
  const outcome = { row: read.row, changed, changedFields: new JsonText(text) }
  // 5.
  const isEqual = read.row !== null && data !== null && changed.length === 0
  if (dryRun || isEqual) return { ...outcome, isSaved: false }
  // 6. A client that goes away after this ends nothing.
  signal.throwIfAborted()
  const done = await store.commit({
    origin,
    caseTypeCode: wanted.caseTypeCode,
    read: read.row,
    revision: read.type?.revision ?? 0,
    data,
    values: writeValues(wanted.data, read.type),
    changedFields: text,
    functionName: null,
    leaseHolder,
  })
  // 7.
  if (done.kind === 'moved') return null
  return { ...outcome, isSaved: true, row: data === null ? read.row : done.row }
}

interface ChangeSteps {
  /** The type of a case, or of the one to be created. */
  readonly findType: (row: Case | null) => Promise<CaseType | null>
  /** Throws what is wrong with the request. */
  readonly ask: (read: ReadCase) => Wanted
  /** Gives the data as the hooks made them; rejects if one refuses. No transaction is open meanwhile. */
  readonly runHooks?: (wanted: Wanted, read: ReadCase) => Wanted | Promise<Wanted>
}

const keep = (wanted: Wanted) => wanted

async function readCase(
  store: CaseStore,
  { origin, id, ifVersions }: ChangeRequest,
  { findType }: ChangeSteps,
): Promise<ReadCase> {
  if (id === null) return { row: null, data: null, type: await findType(null) }
  const [row] = await store.findByIds(origin.accountCode, [id])
  if (row === undefined) throw noCase(id)
  if (ifVersions !== null && !ifVersions.includes(row.version)) throw staleCase(id, row.version)
  return { row, data: JSON.parse(row.data?.text ?? '{}') as JsonObject, type: await findType(row) }
}

function writeValues(data: JsonObject | null, type: CaseType | null) {
  if (data === null || type === null || type.writtenFields.length === 0) return null
  return findValues(data, type.writtenFields)
}

// First attempts of other gateways fail while it is held. Without it at the deadline, the attempt goes on all the same.
async function takeLease(
  store: CaseStore,
  { origin: { accountCode }, deadline, signal }: ChangeRequest,
  { id, holder }: { readonly id: number; readonly holder: string },
): Promise<boolean> {
  for (;;) {
    const ms = Math.max(1, Math.ceil(deadline - performance.now()))
    if (await store.lease(accountCode, id, { holder, ms })) return true
    if (performance.now() + lookEachMs >= deadline) return false
    await sleep(lookEachMs, undefined, { signal })
  }
}
