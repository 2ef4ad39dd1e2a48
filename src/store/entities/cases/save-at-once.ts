import { sql } from 'drizzle-orm'
import type { CaseCommit } from '../../../domain/cases/case-store.ts'
import type { StoreLimits } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { namesOf, placeholders } from '../../dialect.ts'
import { storedBytes } from '../stored-bytes.ts'
import { buildEventParts, toEventValues } from './case-events.ts'
import { buildIsAsRead, buildNewData, type StoredCase, selectCase } from './case-rows.ts'

// Bytes below the account's maximum from which on the usual transaction compares exactly. Several saves at once could
// each find room for themselves, and all of them together add less than this.
const marginBytes = 64 * 2 ** 20

/**
 * Saves a case and its event with one statement, which is its own transaction: one round trip instead of five.
 * Resolves with null if the statement found anything else than was read, and for every change that needs more. Then
 * nothing was written, and the usual transaction says why. SQLite has no round trips to save.
 */
export function createSaveAtOnce(database: Database, { accountBytes }: StoreLimits) {
  const save = database.isShared ? prepareSave(database) : null
  return async (wanted: CaseCommit, addedBytes: number): Promise<StoredCase | null> => {
    const { origin, caseTypeCode, read, revision, data, changedFields, functionName, leaseHolder } = wanted
    if (save === null || read === null || data === null || !isPlain(wanted)) return null
    const of = { caseId: read.id, caseTypeCode, version: read.version + 1 }
    const [row] = await database.changeAtOnce(origin, save, {
      ...toEventValues(origin, { kind: 'saved', ...of, changedFields, functionName }, addedBytes),
      id: read.id,
      readVersion: read.version,
      leaseHolder,
      data,
      dataBytes: Buffer.byteLength(data),
      revision,
      roomBytes: accountBytes - marginBytes,
    })
    return row ?? null
  }
}

function isPlain({ origin, values, runs, after }: CaseCommit): boolean {
  return origin.step === null && values === null && runs === null && after === null
}

function prepareSave(database: Database) {
  const { chain, typed, tables, forShare, now } = database
  const given = placeholders('accountCode', 'caseTypeCode', 'revision', 'roomBytes', 'storedBytes')
  const selection = selectCase(tables)
  const room = typed(given.roomBytes, 'integer')
  const added = typed(given.storedBytes, 'integer')
  return chain(
    {
      type: sql`
        select revision from case_types
        where account_code = ${given.accountCode} and code = ${given.caseTypeCode} ${forShare}`,
      saved: sql`
        update cases set ${buildNewData(now)}
        where ${buildIsAsRead(now, 'readVersion')} and (select revision from type) = ${given.revision}
          and ${storedBytes} + ${added} <= ${room}
        returning ${namesOf(selection)}`,
      ...buildEventParts(database, sql`, saved`),
    },
    'saved',
    selection,
  )
}
