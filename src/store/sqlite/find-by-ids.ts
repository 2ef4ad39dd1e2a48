import { and, eq, sql } from 'drizzle-orm'
import type { SelectedFields, SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SqliteDb } from './connect.ts'
import { encodeIds, isListed } from './id-list.ts'
import { prepareRows } from './prepare-statement.ts'

interface FindByIds<Raw extends readonly unknown[], Row> {
  readonly table: SQLiteTable & { readonly accountCode: SQLiteColumn; readonly id: SQLiteColumn }
  readonly columns: SelectedFields
  readonly read: (raw: Raw) => Row
}

/** The rows of an account that have one of these ids, in one statement. */
export function prepareFindByIds<Raw extends readonly unknown[], Row>(
  db: SqliteDb,
  { table, columns, read }: FindByIds<Raw, Row>,
): (accountCode: string, ids: readonly number[]) => Row[] {
  const isOfAccount = eq(table.accountCode, sql.placeholder('accountCode'))
  const id = sql.placeholder('id')
  const ids = sql.placeholder('ids')
  const select = () => db.select(columns).from(table)
  // Most reads are of one row, for which a list costs as much again as the row.
  const one = prepareRows(db, { query: select().where(and(isOfAccount, eq(table.id, id))), read })
  const listed = prepareRows(db, { query: select().where(and(isOfAccount, isListed(table.id, ids))), read })
  return (accountCode, ids) =>
    ids.length === 1 ? one.all({ accountCode, id: ids[0] }) : listed.all({ accountCode, ids: encodeIds(ids) })
}
