import { and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { IdSelection, PageByParent, Paging } from '../dialect.ts'
import type { RowOf } from '../tables/tables-of.ts'
import { aggregate, createReadRow, prepareColumns } from './column-rows.ts'
import type { Client } from './connection/client.ts'
import { encodeIds } from './id-list.ts'

interface Reading {
  readonly build: PgRemoteDatabase
  readonly client: Client
}

type Direction = typeof asc

export function createPageByParent<P extends string, S extends IdSelection>(
  reading: Reading,
  paging: Paging<P, S>,
): PageByParent<RowOf<S>> {
  const fromStart = preparePage(reading, paging, asc)
  const fromEnd = preparePage(reading, paging, desc)
  const readRow = createReadRow(paging.selection)
  return async (accountCode, parentIds, page) => {
    const columns = await (page.fromEnd ? fromEnd : fromStart)(reading.client, {
      accountCode,
      parentIds: encodeIds(parentIds),
      after: page.after ?? 0,
      before: page.before ?? 2 ** 53,
      limit: page.limit,
    })
    const rows = (columns[0] ?? []).map((_, index) => readRow(columns, index))
    return rows.sort((a, b) => Number(a.id) - Number(b.id))
  }
}

type PagedTable = PgTable & Readonly<Record<string, PgColumn>> & Record<'accountCode' | 'id', PgColumn>

// A window function would number all rows of a parent before it drops those outside the page; the lateral query stops at the
// limit, along the index, once for each parent.
function preparePage<P extends string, S extends IdSelection>(
  { build }: Reading,
  paging: Paging<P, S>,
  direction: Direction,
) {
  const table = paging.table as unknown as PagedTable
  const parent = table[paging.parent] ?? table.id
  const slice = build
    .select(paging.selection as unknown as Record<string, PgColumn>)
    .from(table)
    .where(
      and(
        eq(table.accountCode, sql.placeholder('accountCode')),
        eq(parent, sql`parent.id`),
        gt(table.id, sql.placeholder('after')),
        lt(table.id, sql.placeholder('before')),
      ),
    )
    .orderBy(direction(table.id))
    .limit(sql.placeholder('limit'))
    .as('slice')
  const columns = Object.keys(paging.selection).map(name => [name, slice[name]])
  const query = build
    .select(aggregate(Object.fromEntries(columns)))
    .from(sql`unnest(${sql.placeholder('parentIds')}::bigint[]) as parent(id)`)
    .crossJoinLateral(slice)
  return prepareColumns(query)
}
