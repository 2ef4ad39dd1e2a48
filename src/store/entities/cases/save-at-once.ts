import { type SQL, sql } from 'drizzle-orm'
import type { CaseCommit } from '../../../domain/cases/case-store.ts'
import type { StoreLimits } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { namesOf, placeholders, type Values } from '../../dialect.ts'
import { orNull } from '../../tables/tables-of.ts'
import { first, type Work } from '../../work.ts'
import { buildTakeIds, type TakenIds, toTakeValues } from '../queue/enqueue.ts'
import type { SharedInput } from '../queue/queued-inputs.ts'
import { measureTexts } from '../runs/write-runs.ts'
import { storedBytes } from '../stored-bytes.ts'
import { buildEventParts, toEventValues } from './case-events.ts'
import { buildIsAsRead, buildNewData, type StoredCase, selectCase } from './case-rows.ts'

// Bytes below the account's maximum from which on the usual transaction compares exactly: several saves at once could
// each find room for themselves. It is as much as `savesAtOnce` of this size add, and at least `marginBytes`.
const marginBytes = 64 * 2 ** 20
const savesAtOnce = 16

/** What a save writes at once. */
interface SavedAtOnce {
  readonly row: StoredCase
  /** The ids of the runs that it queues; undefined if the queue is full. */
  readonly taken: TakenIds
}

export interface SaveAtOnce {
  /** Saves a case in a transaction of its own. */
  alone(wanted: CaseCommit, addedBytes: number): Promise<StoredCase | null>
  /** Saves a case in a transaction that writes more, and takes the ids of the runs that it queues. */
  inside(wanted: CaseCommit, queued: readonly SharedInput[], addedBytes: number): Work<SavedAtOnce | null>
}

/**
 * Saves a case and its event with one statement: one round trip instead of three. The result is null if the statement
 * found anything else than was read, and for every change that needs more. Then nothing was written, and the usual
 * statements say why. SQLite has no round trips to save.
 */
export function createSaveAtOnce(database: Database, { accountBytes, queueBytes }: StoreLimits): SaveAtOnce {
  const statements = database.isShared ? prepareSaves(database) : null

  // Null if the change is no save of a case that was read.
  function toValues(wanted: CaseCommit, addedBytes: number): Values | null {
    const { origin, caseTypeCode, read, revision, data, changedFields, functionName, leaseHolder } = wanted
    if (read === null || data === null) return null
    const of = { caseId: read.id, caseTypeCode, version: read.version + 1 }
    const { inserts, ends } = wanted.runs ?? { inserts: [], ends: [] }
    const bytes = addedBytes + measureTexts([...inserts, ...ends])
    return {
      ...toEventValues(origin, { kind: 'saved', ...of, changedFields, functionName }, addedBytes),
      id: read.id,
      readVersion: read.version,
      leaseHolder,
      data,
      dataBytes: Buffer.byteLength(data),
      revision,
      roomBytes: accountBytes - Math.max(marginBytes, savesAtOnce * bytes),
    }
  }

  return {
    async alone(wanted, addedBytes) {
      const values = toValues(wanted, addedBytes)
      if (statements === null || values === null || !isPlain(wanted)) return null
      const [row] = await database.changeAtOnce(wanted.origin, statements.save, values)
      return row ?? null
    },
    *inside(wanted, queued, addedBytes) {
      const values = toValues(wanted, addedBytes)
      if (statements === null || values === null) return null
      if (queued.length === 0) {
        const row = yield* first(statements.save, values)
        return row === undefined ? null : { row, taken: undefined }
      }
      const saved = yield* first(statements.saveAndTake, { ...values, ...toTakeValues(queued, queueBytes) })
      if (saved === undefined) return null
      const { lastId, ...row } = saved
      return { row, taken: lastId === null ? undefined : { lastId } }
    },
  }
}

function isPlain({ origin, values, runs, after }: CaseCommit): boolean {
  return origin.step === null && values === null && runs === null && after === null
}

function prepareSaves(database: Database) {
  const { chain, tables } = database
  const selection = selectCase(tables)
  const lastId = orNull(tables.queueAccounts.lastId)
  const save = buildSave(database)
  return {
    save: chain({ ...save, ...buildEventParts(database, sql`, saved`) }, 'saved', selection),
    saveAndTake: chain(
      {
        ...save,
        taken: buildTakeIds(database, sql`from saved`),
        ...buildEventParts(database, sql`, taken`),
        done: sql`select saved.*, taken.last_id from saved left join taken on true`,
      },
      'done',
      { ...selection, lastId },
    ),
  }
}

// The case, if it and its type are as they were read and the account has room.
function buildSave({ typed, tables, forShare, now }: Database): Readonly<Record<'type' | 'saved', SQL>> {
  const given = placeholders('accountCode', 'caseTypeCode', 'revision', 'roomBytes', 'storedBytes')
  const room = typed(given.roomBytes, 'integer')
  const added = typed(given.storedBytes, 'integer')
  return {
    type: sql`
      select revision from case_types
      where account_code = ${given.accountCode} and code = ${given.caseTypeCode} ${forShare}`,
    saved: sql`
      update cases set ${buildNewData(now)}
      where ${buildIsAsRead(now, 'readVersion')} and (select revision from type) = ${given.revision}
        and ${storedBytes} + ${added} <= ${room}
      returning ${namesOf(selectCase(tables))}`,
  }
}
