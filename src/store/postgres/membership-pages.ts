import { and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { MembershipStore, Page } from '../../domain/store.ts'
import { encodeIds } from './id-list.ts'
import { membershipColumns } from './membership-statements.ts'
import { teamMemberships as memberships } from './tables.ts'

type Parent = 'userId' | 'teamId'

/** The pages of any number of parents, in one statement that reads no more rows than it answers. */
export function createMembershipPages(
  db: PostgresJsDatabase,
): Pick<MembershipStore, 'pageByUsers' | 'pageByTeams'> {
  return { pageByUsers: preparePages(db, 'userId'), pageByTeams: preparePages(db, 'teamId') }
}

function preparePages(db: PostgresJsDatabase, parent: Parent) {
  const fromStart = preparePage(db, { parent, direction: asc, name: `page_from_start_${parent}` })
  const fromEnd = preparePage(db, { parent, direction: desc, name: `page_from_end_${parent}` })
  return (accountCode: string, parentIds: readonly number[], page: Page) =>
    (page.fromEnd ? fromEnd : fromStart).execute({
      accountCode,
      parentIds: encodeIds(parentIds),
      after: page.after ?? 0,
      before: page.before ?? 2 ** 53,
      limit: page.limit,
    })
}

interface PageStatement {
  readonly parent: Parent
  readonly direction: typeof asc
  readonly name: string
}

// A window function would number all memberships of a parent before it drops those outside the page; the lateral query
// stops at the limit, along the index, once for each parent.
function preparePage(db: PostgresJsDatabase, { parent, direction, name }: PageStatement) {
  const slice = db
    .select(membershipColumns)
    .from(memberships)
    .where(
      and(
        eq(memberships.accountCode, sql.placeholder('accountCode')),
        eq(memberships[parent], sql`parent.id`),
        gt(memberships.id, sql.placeholder('after')),
        lt(memberships.id, sql.placeholder('before')),
      ),
    )
    .orderBy(direction(memberships.id))
    .limit(sql.placeholder('limit'))
    .as('slice')
  return db
    .select({
      id: slice.id,
      userId: slice.userId,
      teamId: slice.teamId,
      leader: slice.leader,
      version: slice.version,
    })
    .from(sql`unnest(${sql.placeholder('parentIds')}::bigint[]) as parent(id)`)
    .crossJoinLateral(slice)
    .orderBy(asc(slice.id))
    .prepare(name)
}
