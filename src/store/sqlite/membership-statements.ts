import { and, eq, or, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { alias } from 'drizzle-orm/sqlite-core'
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
const versions = sql.placeholder('versions')

const isTheRow = and(eq(memberships.accountCode, accountCode), eq(memberships.id, id))
const hasAllowedVersion = or(sql`${versions} is null`, isListed(memberships.version, versions))

export function prepareMembershipStatements(db: BetterSQLite3Database) {
  return {
    findByIds: db
      .select(membershipColumns)
      .from(memberships)
      .where(and(eq(memberships.accountCode, accountCode), isListed(memberships.id, sql.placeholder('ids'))))
      .prepare(),
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
      .prepare(),
    findPairAfterMove: prepareFindPairAfterMove(db),
    findVersion: db.select({ version: memberships.version }).from(memberships).where(isTheRow).prepare(),
    insert: db
      .insert(memberships)
      .values({ accountCode, id, userId, teamId })
      .returning(membershipColumns)
      .prepare(),
    move: db
      .update(memberships)
      .set({
        userId: sql`coalesce(${userId}, ${memberships.userId})`,
        teamId: sql`coalesce(${teamId}, ${memberships.teamId})`,
        version: sql`${memberships.version} + (
          ${memberships.userId} <> coalesce(${userId}, ${memberships.userId})
          or ${memberships.teamId} <> coalesce(${teamId}, ${memberships.teamId}))`,
      })
      .where(and(isTheRow, hasAllowedVersion))
      .returning(membershipColumns)
      .prepare(),
    remove: db
      .delete(memberships)
      .where(and(isTheRow, hasAllowedVersion))
      .returning(membershipColumns)
      .prepare(),
  }
}

// The membership that already has the pair which the moved one would get: what the move leaves out is its own value.
function prepareFindPairAfterMove(db: BetterSQLite3Database) {
  const other = alias(memberships, 'other')
  return db
    .select({ id: other.id })
    .from(memberships)
    .innerJoin(
      other,
      and(
        eq(other.accountCode, memberships.accountCode),
        eq(other.userId, sql`coalesce(${userId}, ${memberships.userId})`),
        eq(other.teamId, sql`coalesce(${teamId}, ${memberships.teamId})`),
      ),
    )
    .where(isTheRow)
    .prepare()
}
