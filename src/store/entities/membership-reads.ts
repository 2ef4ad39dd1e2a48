import type { Dialect } from '../dialect.ts'

export function selectMembership({ teamMemberships: memberships }: Dialect['tables']) {
  return {
    id: memberships.id,
    userId: memberships.userId,
    teamId: memberships.teamId,
    leader: memberships.leader,
    version: memberships.version,
  }
}

/** The reads of memberships that need no hand-tuned statement. */
export function createMembershipReads(database: Dialect, maxCachedRows?: number) {
  const table = database.tables.teamMemberships
  const selection = selectMembership(database.tables)
  const { find, findCached, forget } = database.findByIds(table, selection, maxCachedRows)
  return {
    forget,
    reads: {
      ...(findCached && { findKept: findCached }),
      findByIds: find,
      pageByUsers: database.pageByParent({ table, parent: 'userId', selection }),
      pageByTeams: database.pageByParent({ table, parent: 'teamId', selection }),
    },
  }
}
