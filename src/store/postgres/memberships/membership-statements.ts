import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Dialect } from '../../dialect.ts'

const accountCode = sql.placeholder('accountCode')
const id = sql.placeholder('id')
const userId = sql.placeholder('userId')
const teamId = sql.placeholder('teamId')

/** What explains why a change was not made. */
export function prepareMembershipStatements(dialect: Dialect) {
  const { build, prepare, tables } = dialect
  const { teamMemberships: memberships } = tables
  const isOfAccount = eq(memberships.accountCode, accountCode)
  const isThePair = and(isOfAccount, eq(memberships.userId, userId), eq(memberships.teamId, teamId))
  const pairId = { id: memberships.id }
  const version = { version: memberships.version }
  const findVersion = build
    .select(version)
    .from(memberships)
    .where(and(isOfAccount, eq(memberships.id, id)))
  return {
    findPair: prepare(build.select(pairId).from(memberships).where(isThePair), pairId),
    findPairAfterMove: prepareFindPairAfterMove(dialect),
    findVersion: prepare(findVersion, version),
  }
}

// The membership that already has the pair which the moved one would get: what the move leaves out is its own value.
function prepareFindPairAfterMove({
  build,
  prepare,
  typed,
  tables: { teamMemberships: memberships },
}: Dialect) {
  const other = alias(memberships as never, 'other') as unknown as typeof memberships
  const newUserId = sql`coalesce(${typed(userId, 'integer')}, ${memberships.userId})`
  const newTeamId = sql`coalesce(${typed(teamId, 'integer')}, ${memberships.teamId})`
  const hasThePair = and(
    eq(other.accountCode, memberships.accountCode),
    eq(other.userId, newUserId),
    eq(other.teamId, newTeamId),
  )
  const found = { id: other.id }
  const query = build
    .select(found)
    .from(memberships)
    .innerJoin(other, hasThePair)
    .where(and(eq(memberships.accountCode, accountCode), eq(memberships.id, id)))
  return prepare(query, found)
}
