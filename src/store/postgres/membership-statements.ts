import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { isListed } from './id-list.ts'
import { teamMemberships as memberships } from './tables.ts'

export const membershipColumns = {
  id: memberships.id,
  userId: memberships.userId,
  teamId: memberships.teamId,
  leader: memberships.leader,
  version: memberships.version,
}

const accountCode = sql.placeholder('accountCode')
const id = sql.placeholder('id')
const userId = sql.placeholder('userId')
const teamId = sql.placeholder('teamId')

const isTheRow = and(eq(memberships.accountCode, accountCode), eq(memberships.id, id))
const newUserId = sql`coalesce(${userId}::bigint, ${memberships.userId})`
const newTeamId = sql`coalesce(${teamId}::bigint, ${memberships.teamId})`

export function prepareMembershipStatements(db: PostgresJsDatabase) {
  return {
    findByIds: db
      .select(membershipColumns)
      .from(memberships)
      .where(and(eq(memberships.accountCode, accountCode), isListed(memberships.id, sql.placeholder('ids'))))
      .prepare('find_memberships'),
    findPair: db
      .select({ id: memberships.id })
      .from(memberships)
      .where(
        and(
          eq(memberships.accountCode, accountCode),
          eq(memberships.userId, userId),
          eq(memberships.teamId, teamId),
        ),
      )
      .prepare('find_pair'),
    findPairAfterMove: prepareFindPairAfterMove(db),
    findVersion: db
      .select({ version: memberships.version })
      .from(memberships)
      .where(isTheRow)
      .prepare('find_version'),
  }
}

// The membership that already has the pair which the moved one would get: what the move leaves out is its own value.
function prepareFindPairAfterMove(db: PostgresJsDatabase) {
  const other = alias(memberships, 'other')
  return db
    .select({ id: other.id })
    .from(memberships)
    .innerJoin(
      other,
      and(
        eq(other.accountCode, memberships.accountCode),
        eq(other.userId, newUserId),
        eq(other.teamId, newTeamId),
      ),
    )
    .where(isTheRow)
    .prepare('find_pair_after_move')
}
