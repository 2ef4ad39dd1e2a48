import { and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm'
import type { Membership, MembershipStore, Page } from '../../domain/store.ts'
import type { Reading } from './find-by-ids.ts'
import { encodeIds } from './id-list.ts'
import { membershipColumns, readMembership } from './membership-statements.ts'
import { prepareColumns } from './prepare-columns.ts'
import { teamMemberships as memberships } from './tables.ts'

type Parent = 'userId' | 'teamId'

/** The pages of any number of parents, in one statement that reads no more rows than it answers. */
export function createMembershipPages(
  reading: Reading,
): Pick<MembershipStore, 'pageByUsers' | 'pageByTeams'> {
  return { pageByUsers: preparePages(reading, 'userId'), pageByTeams: preparePages(reading, 'teamId') }
}

function preparePages(reading: Reading, parent: Parent) {
  const fromStart = preparePage(reading, { parent, direction: asc })
  const fromEnd = preparePage(reading, { parent, direction: desc })
  return async (accountCode: string, parentIds: readonly number[], page: Page): Promise<Membership[]> => {
    const found = await (page.fromEnd ? fromEnd : fromStart)(reading.client, {
      accountCode,
      parentIds: encodeIds(parentIds),
      after: page.after ?? 0,
      before: page.before ?? 2 ** 53,
      limit: page.limit,
    })
    if (found === null) return []
    return found.id.map((_, index) => readMembership(found, index)).sort((a, b) => a.id - b.id)
  }
}

interface PageStatement {
  readonly parent: Parent
  readonly direction: typeof asc
}

// A window function would number all memberships of a parent before it drops those outside the page; the lateral query
// stops at the limit, along the index, once for each parent.
function preparePage({ db }: Reading, { parent, direction }: PageStatement) {
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
  return prepareColumns<Membership>({
    columns: {
      id: slice.id,
      userId: slice.userId,
      teamId: slice.teamId,
      leader: slice.leader,
      version: slice.version,
    },
    select: fields =>
      db
        .select(fields)
        .from(sql`unnest(${sql.placeholder('parentIds')}::bigint[]) as parent(id)`)
        .crossJoinLateral(slice),
  })
}
