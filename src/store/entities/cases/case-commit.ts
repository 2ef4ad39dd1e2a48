import type { CaseCommit, CaseStore, CommittedCase } from '../../../domain/cases/case-store.ts'
import type { Origin } from '../../../domain/port.ts'
import { tooMuchQueued } from '../../../domain/queue/waiting-limits.ts'
import type { CommittedRuns } from '../../../domain/runs/deferred-runs.ts'
import type { RunRow, RunWrites } from '../../../domain/runs/run-store.ts'
import type { StoreLimits } from '../../../domain/store-limits.ts'
import { JsonText } from '../../../json/json-text.ts'
import type { Database } from '../../database.ts'
import { all, first, only, Refusal, refuse, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { toTakeValues } from '../queue/enqueue.ts'
import { measureWaiting, type SharedInput } from '../queue/queued-inputs.ts'
import type { AppendCaseEvent } from './case-events.ts'
import { type CaseReads, type StoredCase, toCase } from './case-rows.ts'
import { prepareCaseStatements } from './case-statements.ts'
import type { FieldValues } from './field-values.ts'
import { findAddedBytes, findQueued, type PlannedChange, planChange } from './planned-change.ts'
import { createSaveAtOnce } from './save-at-once.ts'

// The result as JSON preserves it for an idempotency step.
type Committed =
  | {
      readonly kind: 'committed'
      readonly row: StoredCase
      readonly changedFields: string
      readonly runIds: readonly string[]
      /** Missing in a result that an earlier version of the gateway stored. */
      readonly transactionId?: string
    }
  | { readonly kind: 'conflict' }

/** What this request itself has done. */
interface Own {
  result: Committed | Refusal | null
}

interface Dependencies extends Pick<Parts, 'provision' | 'takeNumbers' | 'enqueue' | 'writeRuns' | 'stored'> {
  readonly database: Database
  readonly limits: StoreLimits
  readonly appendEvent: AppendCaseEvent
  readonly values: FieldValues
  readonly reads: Pick<CaseReads, 'forget' | 'remember'>
}

/** The one transaction of a save or a delete (contract, section 7, step 6). */
export function createCaseCommit(dependencies: Dependencies): Pick<CaseStore, 'commit' | 'findCommitted'> {
  const { database, limits, provision, takeNumbers, appendEvent, values, enqueue, writeRuns, stored, reads } =
    dependencies
  const statements = prepareCaseStatements(database)
  const saveAtOnce = createSaveAtOnce({ ...dependencies, statements })

  function* commit(change: PlannedChange): Work<Committed | Refusal> {
    const saved = yield* saveAtOnce.inside(change)
    if (saved === null) return yield* commitInSteps(change)
    const { row, taken } = saved
    const { wanted } = change
    const { origin, changedFields, runIds } = wanted
    yield* writeValues(wanted, row)
    const ids = yield* enqueue(origin.accountCode, findQueued(change, row), { row: taken })
    if (ids instanceof Refusal) return ids
    yield* writeDecidingRuns(wanted, row, false)
    return { kind: 'committed', row, changedFields, runIds, transactionId: origin.transactionId }
  }

  // Declared once and not in each call, because V8 makes a map for each generator function when it is first called.
  function* commitOwn(change: PlannedChange, own: Own): Work<Committed | Refusal> {
    own.result = yield* commit(change)
    return own.result
  }

  // Whatever decides against the change comes before the first write: SQLite undoes nothing.
  function* commitInSteps(planned: PlannedChange): Work<Committed | Refusal> {
    const { wanted, queued, addedBytes } = planned
    const { origin, caseTypeCode, read, changedFields, runIds } = wanted
    const { accountCode } = origin
    const now = yield* only(statements.lockType, { accountCode, caseTypeCode })
    if ((now.revision ?? 0) !== wanted.revision) return { kind: 'conflict' }
    const refusal = tooMuchQueued(now, measureWaiting(queued), limits.queueBytes)
    if (refusal !== null) return refuse(refusal)
    const full = stored.refuseFull(now.storedBytes, addedBytes)
    if (wanted.data !== null && full !== null) return full
    const row = yield* read === null ? create(wanted, now.revision === null) : change(wanted, read)
    if (row === undefined) return { kind: 'conflict' }
    yield* writeValues(wanted, row)
    const refused = yield* append(wanted, row, findQueued(planned, row))
    if (refused !== null) return refused
    return { kind: 'committed', row, changedFields, runIds, transactionId: origin.transactionId }
  }

  /**
   * Writes what follows from the change: its event, the runs after it, and the runs that decided it. Returns a refusal
   * if another gateway has filled the account since the first look.
   */
  function* append(
    wanted: CaseCommit,
    row: StoredCase,
    queued: readonly SharedInput[],
  ): Work<Refusal | null> {
    const { origin, caseTypeCode, read, data, changedFields, functionName } = wanted
    const { accountCode } = origin
    const kind = read === null ? 'created' : data === null ? 'deleted' : 'saved'
    const take = queued.length === 0 ? null : toTakeValues(queued, limits.queueBytes)
    const storedBytes = findAddedBytes(wanted, queued)
    const { id: caseId, version } = row
    const event = { kind, caseId, caseTypeCode, version, changedFields, functionName } as const
    const appended = yield* appendEvent(origin, event, { storedBytes, take })
    const ids = yield* enqueue(accountCode, queued, { row: appended.taken })
    if (ids instanceof Refusal) return ids
    const full = data === null ? null : stored.refuseFull(appended.stored - storedBytes, storedBytes)
    if (full !== null) return full
    yield* writeDecidingRuns(wanted, row, appended.stored >= limits.accountBytes)
    return null
  }

  function* writeDecidingRuns({ origin, runs }: CaseCommit, row: StoredCase, isFull: boolean): Work<void> {
    if (runs !== null) yield* writeRuns(origin.accountCode, runs.gateway, toRunsOf(row.id, runs), isFull)
  }

  function* writeValues({ origin, caseTypeCode, data, read, values: given }: CaseCommit, row: StoredCase) {
    if (data === null || given === null) return
    yield* values.write(origin.accountCode, caseTypeCode, [{ ...row, values: given }], read === null)
  }

  function* create(
    { origin, caseTypeCode, data }: CaseCommit,
    isNewType: boolean,
  ): Work<StoredCase | undefined> {
    const { accountCode } = origin
    yield* provision.account(accountCode)
    if (isNewType) {
      // Another gateway may have created the type, and hooks for it.
      const isCreated = yield* provision.caseType(accountCode, caseTypeCode)
      if (!isCreated) return undefined
    }
    const id = yield* takeNumbers(accountCode, 'case')
    return yield* only(statements.insert, { accountCode, id, caseTypeCode, ...toData(data) })
  }

  function* change({ origin, data, leaseHolder }: CaseCommit, read: { id: number; version: number }) {
    const { accountCode } = origin
    const which = { accountCode, id: read.id, version: read.version, leaseHolder }
    reads.forget(accountCode, read.id)
    if (data !== null) return yield* first(statements.update, { ...which, ...toData(data) })
    // The values refer to the case, so they are deleted first. The lock keeps others from writing new values meanwhile.
    const row = yield* first(statements.lock, which)
    if (row === undefined) return undefined
    yield* values.clear(accountCode, [row.id])
    yield* all(statements.remove, { accountCode, id: row.id })
    return row
  }

  return {
    async commit(wanted) {
      const change = planChange(wanted)
      const { origin, changedFields, runIds } = wanted
      const saved = await saveAtOnce.together(change)
      if (saved !== null) {
        reads.remember(origin.accountCode, saved)
        return toCommitted({ kind: 'committed', row: saved, changedFields, runIds }, origin)
      }
      const hasQueued = () => wanted.after !== null
      // The result may be that of an earlier request with the same key, whose row is old.
      const own: Own = { result: null }
      const work = () => commitOwn(change, own)
      const done = await database.change(origin, work, { hasChanged, hasQueued })
      if (done.kind === 'conflict') return done
      if (wanted.data !== null && done === own.result) reads.remember(origin.accountCode, done.row)
      return toCommitted(done, origin)
    },
    async findCommitted(origin) {
      const done = await database.findStep<Committed>(origin)
      return done?.kind === 'committed' ? toCommitted(done, origin) : null
    },
  }
}

function hasChanged({ kind }: Committed): boolean {
  return kind === 'committed'
}

function toCommitted(
  { row, changedFields, runIds, transactionId }: Extract<Committed, { kind: 'committed' }>,
  origin: Origin,
): CommittedCase {
  return {
    kind: 'committed',
    row: toCase(row),
    changedFields: new JsonText(changedFields),
    runIds,
    transactionId: transactionId ?? origin.transactionId,
  }
}

// Fills in the id of a new case, which is known only now.
function toRunsOf(id: number, { inserts, ends }: CommittedRuns): RunWrites {
  const withCase = (run: RunRow): RunRow => ({ ...run, caseId: id })
  return { inserts: inserts.map(withCase), ends: ends.map(withCase) }
}

function toData(data: string | null) {
  return { data, dataBytes: Buffer.byteLength(data ?? '') }
}
