import { and, eq, sql } from 'drizzle-orm'
import type { SelectedFields, SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SqliteDb } from './connect.ts'
import { encodeIds, isListed } from './id-list.ts'
import type { KeptRows } from './kept-rows.ts'
import { prepareRows } from './prepare-statement.ts'

interface FindByIds<Raw extends readonly unknown[], Row> {
  readonly table: SQLiteTable & { readonly accountCode: SQLiteColumn; readonly id: SQLiteColumn }
  readonly columns: SelectedFields
  readonly read: (raw: Raw) => Row
  readonly keptRows: KeptRows<Row>
}

/** The rows of an account that have one of these ids, in one statement for those that are not kept. */
export function prepareFindByIds<Raw extends readonly unknown[], Row>(
  db: SqliteDb,
  { table, columns, read, keptRows }: FindByIds<Raw, Row>,
): (accountCode: string, ids: readonly number[]) => Row[] {
  const isOfAccount = eq(table.accountCode, sql.placeholder('accountCode'))
  const isOne = eq(table.id, sql.placeholder('id'))
  const isOfList = isListed(table.id, sql.placeholder('ids'))
  const select = () => db.select(columns).from(table)
  const one = prepareRows(db, { query: select().where(and(isOfAccount, isOne)), read })
  const listed = prepareRows(db, { query: select().where(and(isOfAccount, isOfList)), read })

  // Most reads are of one row, for which a list costs as much again as the row.
  function readRows(accountCode: string, ids: readonly number[]): Row[] {
    return ids.length === 1
      ? one.all({ accountCode, id: ids[0] })
      : listed.all({ accountCode, ids: encodeIds(ids) })
  }

  return (accountCode, ids) => {
    const kept = keptRows.of(accountCode)
    const rows: Row[] = []
    const others: number[] = []
    for (const id of ids) {
      const row = kept.get(id)
      if (row === undefined) others.push(id)
      else rows.push(row)
    }
    if (others.length === 0) return rows
    const found = readRows(accountCode, others)
    keptRows.keep(accountCode, found)
    return rows.length === 0 ? found : rows.concat(found)
  }
}
