import { sql } from 'drizzle-orm'
import type { CaseType } from '../../../domain/cases/case-store.ts'
import { readStored } from '../../../json/read-stored.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import type { RowOf } from '../../tables/tables-of.ts'

export function prepareTypes({ prepare, forShare, tables }: Dialect) {
  const { code, indexedFields, writtenFields, revision } = tables.caseTypes
  const selection = { code, indexedFields, writtenFields, revision }
  const given = placeholders('accountCode', 'code', 'indexedFields', 'writtenFields', 'revision')
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
    save: prepare(
      sql`
        insert into case_types (account_code, code, indexed_fields, written_fields, revision)
        values (${given.accountCode}, ${given.code}, ${given.indexedFields}, ${given.writtenFields}, 1)
        on conflict (account_code, code) do update set indexed_fields = excluded.indexed_fields,
          written_fields = excluded.written_fields, revision = case_types.revision + 1
        where case_types.revision = ${given.revision}
        returning ${columnsOf(selection)}`,
      selection,
    ),
  }
}

export function toType({
  indexedFields,
  writtenFields,
  ...row
}: RowOf<{ [Name in keyof CaseType]: Dialect['tables']['caseTypes'][Name] }>): CaseType {
  const read = (column: string, text: string) =>
    readStored<string[]>(text, { table: 'case_types', column, id: row.code })
  return {
    ...row,
    indexedFields: read('indexed_fields', indexedFields),
    writtenFields: read('written_fields', writtenFields),
  }
}
