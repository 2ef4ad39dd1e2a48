import { sql } from 'drizzle-orm'
import { columnsOf, type IdSelection, type PageByParent, type Paging, placeholders } from '../dialect.ts'
import type { RowOf } from '../tables/tables-of.ts'
import { aggregate, createReadRows, prepareColumns } from './column-rows.ts'
import type { Bound } from './connection/bound.ts'
import type { Client } from './connection/client.ts'
import { encodeIds } from './list.ts'

interface Dependencies {
  readonly client: Client
  readonly bound: Bound
}

const given = placeholders('accountCode', 'parentIds', 'after', 'before', 'limit')

export function createPageByParent<P extends string, S extends IdSelection>(
  { client, bound }: Dependencies,
  paging: Paging<P, S>,
): PageByParent<RowOf<S>> {
  const fromStart = preparePage(paging, 'asc')
  const fromEnd = preparePage(paging, 'desc')
  const readRows = createReadRows(paging.selection)
  return async (accountCode, parentIds, page) => {
    const values = {
      accountCode,
      parentIds: encodeIds(parentIds),
      after: page.after ?? 0,
      before: page.before ?? 2 ** 53,
      limit: page.limit,
    }
    const columns = await bound(accountCode, () => (page.fromEnd ? fromEnd : fromStart)(client, values))
    return readRows(columns).sort((a, b) => Number(a.id) - Number(b.id))
  }
}

// A window function would number all rows of a parent. The lateral query stops at the limit, along the index.
function preparePage<P extends string, S extends IdSelection>(
  { table, parent, selection }: Paging<P, S>,
  direction: 'asc' | 'desc',
) {
  const { accountCode, parentIds, after, before, limit } = given
  const columns = Object.values(selection).map(({ name }) => sql`slice.${sql.identifier(name)}`)
  return prepareColumns(sql`
    select ${aggregate(columns)} from unnest(${parentIds}::bigint[]) as parent (id) cross join lateral (
      select ${columnsOf(selection)} from ${table}
      where ${table.accountCode} = ${accountCode} and ${table[parent]} = parent.id
        and ${table.id} > ${after} and ${table.id} < ${before}
      order by ${table.id} ${sql.raw(direction)} limit ${limit}
    ) as slice`)
}
