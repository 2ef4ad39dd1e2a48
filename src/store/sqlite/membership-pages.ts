import { and, asc, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { MembershipStore, Page } from '../../domain/store.ts'
import type { SqliteDb } from './connect.ts'
import { encodeIds } from './id-list.ts'
import { membershipColumns, readMembership } from './membership-statements.ts'
import { prepareRows } from './prepare-statement.ts'
import { teamMemberships as memberships } from './tables.ts'

type Parent = 'userId' | 'teamId'

/** The pages of any number of parents, in one statement that reads no more rows than it answers. */
export function createMembershipPages(db: SqliteDb): Pick<MembershipStore, 'pageByUsers' | 'pageByTeams'> {
  return { pageByUsers: preparePages(db, 'userId'), pageByTeams: preparePages(db, 'teamId') }
}

function preparePages(db: SqliteDb, parent: Parent) {
  const fromStart = preparePage(db, parent, asc)
  const fromEnd = preparePage(db, parent, desc)
  return async (accountCode: string, parentIds: readonly number[], page: Page) =>
    (page.fromEnd ? fromEnd : fromStart).all({
      accountCode,
      parentIds: encodeIds(parentIds),
      after: page.after ?? 0,
      before: page.before ?? 2 ** 53,
      limit: page.limit,
    })
}

// A window function would number all memberships of a parent before it drops those outside the page; the inner query
// stops at the limit, along the index, once for each parent. `cross join` keeps SQLite from turning the loops around.
function preparePage(db: SqliteDb, parent: Parent, direction: typeof asc) {
  const accountCode = sql.placeholder('accountCode')
  const parentId = sql`parent.value`
  const slice = alias(memberships, 'slice')
  const idsOfPage = db
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
  const query = db
    .select(membershipColumns)
    .from(sql`json_each(${sql.placeholder('parentIds')}) as parent`)
    .crossJoin(memberships)
    .where(
      and(
        eq(memberships.accountCode, accountCode),
        eq(memberships[parent], parentId),
        inArray(memberships.id, idsOfPage),
      ),
    )
    .orderBy(asc(memberships.id))
  return prepareRows(db, { query, read: readMembership })
}
