import { sql } from 'drizzle-orm'
import {
  columnsOf,
  type Dialect,
  type IdSelection,
  type PageByParent,
  type Paging,
  placeholders,
} from '../dialect.ts'
import type { RowOf } from '../tables/tables-of.ts'
import { encodeIds } from './list.ts'

const given = placeholders('accountCode', 'parentIds', 'after', 'before', 'limit')

export function createPageByParent<P extends string, S extends IdSelection>(
  prepare: Dialect['prepare'],
  paging: Paging<P, S>,
): PageByParent<RowOf<S>> {
  const fromStart = preparePage(prepare, paging, 'asc')
  const fromEnd = preparePage(prepare, paging, 'desc')
  return async (accountCode, parentIds, page) =>
    (page.fromEnd ? fromEnd : fromStart).run({
      accountCode,
      parentIds: encodeIds(parentIds),
      after: page.after ?? 0,
      before: page.before ?? 2 ** 53,
      limit: page.limit,
    })
}

// A window function would number all rows of a parent. The inner query stops at the limit, along the index. `cross
// join` keeps the order of the loops.
function preparePage<P extends string, S extends IdSelection>(
  prepare: Dialect['prepare'],
  { table, parent, selection }: Paging<P, S>,
  direction: 'asc' | 'desc',
) {
  const { accountCode, parentIds, after, before, limit } = given
  const parentColumn = sql.identifier(table[parent].name)
  return prepare(
    sql`
      select ${columnsOf(selection)} from json_each(${parentIds}) as parent cross join ${table}
      where ${table.accountCode} = ${accountCode} and ${table[parent]} = parent.value and ${table.id} in (
        select slice.id from ${table} as slice
        where slice.account_code = ${accountCode} and slice.${parentColumn} = parent.value
          and slice.id > ${after} and slice.id < ${before}
        order by slice.id ${sql.raw(direction)} limit ${limit}
      )
      order by ${table.id}`,
    selection,
  )
}
