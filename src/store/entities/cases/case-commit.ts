import { sql } from 'drizzle-orm'
import type { CaseCommit, CaseStore } from '../../../domain/cases/case-store.ts'
import { toQueuedRuns } from '../../../domain/hooks/queue-hooks.ts'
import type { CommittedRuns } from '../../../domain/runs/hold-runs.ts'
import type { RunRow, RunWrites } from '../../../domain/runs/run-store.ts'
import { JsonText } from '../../../json/json-text.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { createSteps } from '../../steps.ts'
import { all, first, only, type Work } from '../../work.ts'
import type { Parts } from '../entities.ts'
import type { AppendCaseEvent } from './case-events.ts'
import { type CaseReads, type StoredCase, selectCase, toCase } from './case-rows.ts'
import { prepareTypes } from './case-types.ts'
import { prepareValues } from './case-values.ts'

// As JSON keeps it under an idempotency step.
type Committed =
  | {
      readonly kind: 'committed'
      readonly row: StoredCase
      readonly changedFields: string
      readonly runIds: readonly string[]
    }
  | { readonly kind: 'moved' }

interface Dependencies extends Pick<Parts, 'provision' | 'takeNumbers' | 'enqueue' | 'writeRuns'> {
  readonly database: Database
  readonly appendEvent: AppendCaseEvent
  readonly forget: CaseReads['forget']
}

/** The one transaction of a save or a delete (contract, section 7, step 6). */
export function createCaseCommit(dependencies: Dependencies): Pick<CaseStore, 'commit' | 'findCommitted'> {
  const { database, provision, takeNumbers, appendEvent, enqueue, writeRuns, forget } = dependencies
  const statements = prepareStatements(database)
  const types = prepareTypes(database)
  const values = prepareValues(database)
  const { find } = createSteps(database)

  // Whatever decides against the change comes before the first write: SQLite undoes nothing.
  function* commit(wanted: CaseCommit): Work<Committed> {
    const { origin, caseTypeCode, read, data, changedFields, functionName } = wanted
    const { accountCode } = origin
    const type = yield* first(types.lock, { accountCode, code: caseTypeCode })
    if ((type?.revision ?? 0) !== wanted.revision) return { kind: 'moved' }
    const row = yield* read === null ? create(wanted, type === undefined) : change(wanted, read)
    if (row === undefined) return { kind: 'moved' }
    yield* writeValues(wanted, row)
    const kind = read === null ? 'created' : data === null ? 'deleted' : 'saved'
    const of = { caseId: row.id, caseTypeCode, version: row.version }
    const queued = toQueuedRuns(wanted, row)
    const taken = yield* appendEvent(origin, { kind, ...of, changedFields, functionName }, queued.length)
    yield* enqueue(accountCode, queued, { row: taken })
    const { runs, runIds } = wanted
    if (runs !== null) yield* writeRuns(accountCode, runs.gateway, toRunsOf(row.id, runs))
    return { kind: 'committed', row, changedFields, runIds }
  }

  function* writeValues({ origin, caseTypeCode, data, read, values: given }: CaseCommit, row: StoredCase) {
    if (data === null || given === null) return
    const { accountCode } = origin
    if (read !== null) yield* values.clear(accountCode, row.id)
    yield* values.add(accountCode, caseTypeCode, [{ ...row, values: given }])
  }

  function* create(
    { origin, caseTypeCode, data }: CaseCommit,
    isNewType: boolean,
  ): Work<StoredCase | undefined> {
    const { accountCode } = origin
    yield* provision.account(accountCode)
    if (isNewType) {
      // Another gateway may have created it, and given it hooks.
      const isCreated = yield* provision.caseType(accountCode, caseTypeCode)
      if (!isCreated) return undefined
    }
    const id = yield* takeNumbers(accountCode, 'case')
    return yield* only(statements.insert, { accountCode, id, caseTypeCode, ...toData(data) })
  }

  function* change({ origin, data, leaseHolder }: CaseCommit, read: { id: number; version: number }) {
    const { accountCode } = origin
    const which = { accountCode, id: read.id, version: read.version, leaseHolder }
    forget(accountCode, read.id)
    if (data !== null) return yield* first(statements.update, { ...which, ...toData(data) })
    // The values refer to the case, so they go first. The lock keeps others from writing new ones meanwhile.
    const row = yield* first(statements.lock, which)
    if (row === undefined) return undefined
    yield* values.clear(accountCode, row.id)
    yield* all(statements.remove, { accountCode, id: row.id })
    return row
  }

  return {
    async commit(wanted) {
      const hasQueued = () => wanted.after !== null
      const done = await database.change(wanted.origin, () => commit(wanted), { hasChanged, hasQueued })
      return done.kind === 'moved' ? done : toCommitted(done)
    },
    async findCommitted(origin) {
      if (origin.step === null) return null
      const work = () => find<Committed>(origin)
      const done = await database.writeEach(origin.accountCode, work, { hasChanged: () => false })
      return done === undefined || done.kind === 'moved' ? null : toCommitted(done)
    },
  }
}

function hasChanged({ kind }: Committed): boolean {
  return kind === 'committed'
}

function toCommitted({ row, changedFields, runIds }: Extract<Committed, { kind: 'committed' }>) {
  return { kind: 'committed', row: toCase(row), changedFields: new JsonText(changedFields), runIds } as const
}

// A case that was being created has its id only now.
function toRunsOf(id: number, { inserts, ends }: CommittedRuns): RunWrites {
  const withCase = (run: RunRow): RunRow => ({ ...run, caseId: id })
  return { inserts: inserts.map(withCase), ends: ends.map(withCase) }
}

function toData(data: string | null) {
  return { data, dataBytes: Buffer.byteLength(data ?? '') }
}

function prepareStatements({ prepare, tables, forUpdate, now }: Dialect) {
  const given = placeholders(
    'accountCode',
    'id',
    'caseTypeCode',
    'data',
    'dataBytes',
    'version',
    'leaseHolder',
  )
  const { accountCode, id, caseTypeCode, data, dataBytes, version, leaseHolder } = given
  const selection = selectCase(tables)
  const returning = sql`returning ${columnsOf(selection)}`
  const isTheCase = sql`account_code = ${accountCode} and id = ${id}`
  const isAsRead = sql`
    ${isTheCase} and version = ${version} and not exists (
      select 1 from case_leases
      where case_leases.account_code = ${accountCode} and case_id = ${id} and holder <> ${leaseHolder}
        and held_until > ${now})`
  return {
    insert: prepare(
      sql`
        insert into cases (account_code, id, case_type_code, data, data_bytes)
        values (${accountCode}, ${id}, ${caseTypeCode}, ${data}, ${dataBytes}) ${returning}`,
      selection,
    ),
    update: prepare(
      sql`
        update cases set data = ${data}, data_bytes = ${dataBytes}, version = version + 1, updated_at = ${now}
        where ${isAsRead} ${returning}`,
      selection,
    ),
    lock: prepare(sql`select ${columnsOf(selection)} from cases where ${isAsRead} ${forUpdate}`, selection),
    remove: prepare(sql`delete from cases where ${isTheCase}`),
  }
}
