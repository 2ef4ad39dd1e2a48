import { sql } from 'drizzle-orm'
import type { CaseStore } from '../../../domain/cases/case-store.ts'
import type { Database } from '../../database.ts'
import { columnsOf, placeholders } from '../../dialect.ts'
import { selectCase, toCase } from './case-rows.ts'

/**
 * Returns the read of a case with its type. PostgreSQL gets one statement. SQLite reads both in a moment, or has them
 * in its cache.
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
  const { caseTypes } = database.tables
  const { accountCode, id } = placeholders('accountCode', 'id')
  const { code, indexedFields, writtenFields, revision } = caseTypes
  const selection = { ...selectCase(database.tables), code, indexedFields, writtenFields, revision }
  const find = database.prepare(
    sql`
      select ${columnsOf(selection)} from cases
      join case_types on case_types.account_code = cases.account_code and case_types.code = cases.case_type_code
      where cases.account_code = ${accountCode} and cases.id = ${id}`,
    selection,
  )
  return async (accountCode, id) => {
    const [found] = await database.read(find, { accountCode, id })
    if (found === undefined) return null
    const { code, indexedFields, writtenFields, revision, ...row } = found
    return { row: toCase(row), type: { code, indexedFields, writtenFields, revision } }
  }
}
