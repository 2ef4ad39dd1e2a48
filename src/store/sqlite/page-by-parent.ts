import { and, asc, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Dialect, IdSelection, PageByParent, Paging } from '../dialect.ts'
import type { RowOf, Selection } from '../tables/tables-of.ts'
import { encodeIds } from './id-list.ts'

type Parts<P extends string, S extends IdSelection> = Pick<Dialect, 'build' | 'prepare'> & Paging<P, S>

export function createPageByParent<P extends string, S extends IdSelection>(
  parts: Parts<P, S>,
): PageByParent<RowOf<S>> {
  const fromStart = preparePage(parts, asc)
  const fromEnd = preparePage(parts, desc)
  return async (accountCode, parentIds, page) =>
    (page.fromEnd ? fromEnd : fromStart).run({
      accountCode,
      parentIds: encodeIds(parentIds),
      after: page.after ?? 0,
      before: page.before ?? 2 ** 53,
      limit: page.limit,
    })
}

// A window function would number all rows of a parent before it drops those outside the page; the inner query stops at the
// limit, along the index, once for each parent. `cross join` keeps SQLite from turning the loops around.
function preparePage<P extends string, S extends IdSelection>(
  { build, prepare, table, parent, selection }: Parts<P, S>,
  direction: typeof asc,
) {
  const accountCode = sql.placeholder('accountCode')
  const parentId = sql`parent.value`
  const slice = alias(table, 'slice') as unknown as typeof table
  const idsOfPage = build
    .select({ id: slice.id })
    .from(slice)
    .where(
      and(
        eq(slice.accountCode, accountCode),
        eq(slice[parent], parentId),
        gt(slice.id, sql.placeholder('after')),
        lt(slice.id, sql.placeholder('before')),
      ),
    )
    .orderBy(direction(slice.id))
    .limit(sql.placeholder('limit'))
  const query = build
    .select(selection as Selection)
    .from(sql`json_each(${sql.placeholder('parentIds')}) as parent`)
    .crossJoin(table)
    .where(and(eq(table.accountCode, accountCode), eq(table[parent], parentId), inArray(table.id, idsOfPage)))
    .orderBy(asc(table.id))
  return prepare(query, selection)
}
