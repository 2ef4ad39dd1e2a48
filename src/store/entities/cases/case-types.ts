import { sql } from 'drizzle-orm'
import type { CaseType } from '../../../domain/cases/case-store.ts'
import { insertInto, select } from '../../columns.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'

// Most accounts have some dozens.
const maxTypes = sql.raw('1000')

export function prepareTypes({ prepare, prepareMany, forShare, byBytes, tables }: Dialect) {
  const { caseTypes } = tables
  const { revision } = caseTypes
  const selection = select(caseTypes, { omit: ['accountCode', 'createdAt'] })
  const given = placeholders('accountCode', 'code', 'lastRevision')
  return {
    /** Keeps the type from changing until the commit. */
    lock: prepare(
      sql`
        select revision from case_types
        where account_code = ${given.accountCode} and code = ${given.code} ${forShare}`,
      { revision },
    ),
    find: prepare(
      sql`
        select ${columnsOf(selection)} from case_types
        where account_code = ${given.accountCode} and code = ${given.code}`,
      selection,
    ),
    list: prepareMany(
      sql`
        select ${columnsOf(selection)} from case_types
        where account_code = ${given.accountCode} order by code ${byBytes} limit ${maxTypes}`,
      selection,
    ),
    save: prepare(
      sql`
        ${insertInto(caseTypes, { omit: ['createdAt'] })}
        on conflict (account_code, code) do update set indexed_fields = excluded.indexed_fields,
          written_fields = excluded.written_fields, revision = case_types.revision + 1
        where case_types.revision = ${given.lastRevision}
        returning ${columnsOf(selection)}`,
      selection,
    ),
  }
}

/** Copies the row, so that a list that cannot be read is an error here. Several requests may get the same copy. */
export function toType(row: CaseType): CaseType {
  return Object.freeze({ ...row })
}
