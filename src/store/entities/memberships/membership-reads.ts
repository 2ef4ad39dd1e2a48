import type { Database } from '../../database.ts'
import type { Dialect } from '../../dialect.ts'
import { createPageByParent } from '../../page-by-parent.ts'

export function selectMembership({ teamMemberships: memberships }: Dialect['tables']) {
  return {
    id: memberships.id,
    userId: memberships.userId,
    teamId: memberships.teamId,
    leader: memberships.leader,
    version: memberships.version,
  }
}

/** The reads of memberships, which need no hand-tuned statement, and what forgets a cached row. */
export function createMembershipReads(database: Database, maxCachedRows?: number) {
  const table = database.tables.teamMemberships
  const selection = selectMembership(database.tables)
  return {
    ...database.findByIds(table, selection, maxCachedRows),
    pageByUsers: createPageByParent(database, { table, parent: 'userId', selection }),
    pageByTeams: createPageByParent(database, { table, parent: 'teamId', selection }),
  }
}
