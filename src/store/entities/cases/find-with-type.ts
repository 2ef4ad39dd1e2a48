import { sql } from 'drizzle-orm'
import type { CaseStore } from '../../../domain/cases/case-store.ts'
import type { Database } from '../../database.ts'
import { columnsOf, placeholders } from '../../dialect.ts'
import { orNull, readAs, type StoreColumn } from '../../tables/tables-of.ts'
import { type CaseReads, selectCase, selectShortData, toCase } from './case-rows.ts'

// Maximum bytes of data that reads share a statement for. All of them wait for its rows, which are written as JSON.
const maxSharedBytes = 8_192

/**
 * Returns the read of a case with its type. PostgreSQL gets one statement, which reads of the same turn of the event
 * loop share. SQLite reads both in a moment, or has them in its cache.
 */
export function createFindWithType(
  database: Database,
  {
    findCached,
    store: { findByIds },
    findType,
  }: Pick<CaseReads, 'findCached' | 'store'> & Pick<CaseStore, 'findType'>,
): CaseStore['findWithType'] {
  if (!database.isShared) {
    return async (accountCode, id) => {
      const row = findCached(accountCode, id) ?? (await findByIds(accountCode, [id]))[0]
      return row === undefined ? null : { row, type: await findType(accountCode, row.caseTypeCode) }
    }
  }
  const { tables } = database
  const { cases } = tables
  const selection = { ...selectCase(tables), data: orNull(cases.data), ...selectType(tables) }
  const shared = { data: selectShortData(tables, maxSharedBytes) }
  const together = database.findByIds(cases, selection, { shared })
  const { accountCode, id } = placeholders('accountCode', 'id')
  const alone = database.prepare(
    sql`
      select ${columnsOf(selection)} from ${cases}
      where ${cases.accountCode} = ${accountCode} and ${cases.id} = ${id}`,
    selection,
  )
  return async (accountCode, id) => {
    const [read] = await together.findByIds(accountCode, [id])
    const [found] = read?.data === null ? await database.read(alone, { accountCode, id }) : [read]
    if (found === undefined) return null
    const { code, indexedFields, writtenFields, revision, ...row } = found
    return { row: toCase(row), type: { code, indexedFields, writtenFields, revision } }
  }
}

/** The columns of the type of a case, in a statement that reads cases. */
function selectType({ cases, caseTypes }: Database['tables']) {
  const ofType = <Value>(column: StoreColumn<Value>) =>
    readAs(
      column,
      sql`(
        select ${sql.identifier(column.name)} from case_types as type
        where type.account_code = ${cases.accountCode} and type.code = ${cases.caseTypeCode}
      )`,
    )
  const { indexedFields, writtenFields, revision } = caseTypes
  return {
    code: cases.caseTypeCode,
    indexedFields: ofType(indexedFields),
    writtenFields: ofType(writtenFields),
    revision: ofType(revision),
  }
}
