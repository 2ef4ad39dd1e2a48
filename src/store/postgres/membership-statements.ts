import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { Membership } from '../../domain/store.ts'
import { type Columns, valueAt } from './prepare-columns.ts'
import { teamMemberships as memberships } from './tables.ts'

export const membershipColumns = {
  id: memberships.id,
  userId: memberships.userId,
  teamId: memberships.teamId,
  leader: memberships.leader,
  version: memberships.version,
}

export function readMembership(columns: Columns<Membership>, index: number): Membership {
  return {
    id: valueAt(columns.id, index),
    userId: valueAt(columns.userId, index),
    teamId: valueAt(columns.teamId, index),
    leader: valueAt(columns.leader, index),
    version: valueAt(columns.version, index),
  }
}

const accountCode = sql.placeholder('accountCode')
const id = sql.placeholder('id')
const userId = sql.placeholder('userId')
const teamId = sql.placeholder('teamId')

const isTheRow = and(eq(memberships.accountCode, accountCode), eq(memberships.id, id))
const newUserId = sql`coalesce(${userId}::bigint, ${memberships.userId})`
const newTeamId = sql`coalesce(${teamId}::bigint, ${memberships.teamId})`

export function prepareMembershipStatements(db: PgRemoteDatabase) {
  return {
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
function prepareFindPairAfterMove(db: PgRemoteDatabase) {
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
