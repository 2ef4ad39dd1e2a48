import { sql } from 'drizzle-orm'
import type { CaseStore } from '../../../domain/cases/case-store.ts'
import type { Database } from '../../database.ts'
import { columnsOf, placeholders } from '../../dialect.ts'
import { readAs, type StoreColumn, textOf } from '../../tables/tables-of.ts'
import { maxBytes, selectCase, toCase } from './case-rows.ts'

/**
 * Returns the read of a case with its type. PostgreSQL gets one statement, which reads of the same turn of the event
 * loop share. SQLite reads both in a moment, or has them in its cache.
 */
export function createFindWithType(
  database: Database,
  { findByIds, findType }: Pick<CaseStore, 'findByIds' | 'findType'>,
): CaseStore['findWithType'] {
  if (!database.isShared) {
    return async (accountCode, id) => {
      const [row] = await findByIds(accountCode, [id])
      return row === undefined ? null : { row, type: await findType(accountCode, row.caseTypeCode) }
    }
  }
  const { cases } = database.tables
  const selection = { ...selectCase(database.tables), ...selectType(database.tables) }
  const running = sql`sum(${cases.dataBytes}) over (order by asked.place rows unbounded preceding)`
  const fitting = textOf(sql`case when ${running} - ${cases.dataBytes} < ${maxBytes} then ${cases.data} end`)
  const together = database.findByIds(cases, selection, { shared: { data: fitting as typeof cases.data } })
  const { accountCode, id } = placeholders('accountCode', 'id')
  const alone = database.prepare(
    sql`
      select ${columnsOf(selection)} from ${cases}
      where ${cases.accountCode} = ${accountCode} and ${cases.id} = ${id}`,
    selection,
  )
  return async (accountCode, id) => {
    const [read] = await together.findByIds(accountCode, [id])
    const isPastBytes = read !== undefined && (read.data as string | null) === null
    const [found] = isPastBytes ? await database.read(alone, { accountCode, id }) : [read]
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
