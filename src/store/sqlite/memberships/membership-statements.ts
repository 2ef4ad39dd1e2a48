import { and, eq, or, sql } from 'drizzle-orm'
import type { Dialect } from '../../dialect.ts'
import { selectMembership } from '../../entities/membership-reads.ts'

export function prepareMembershipStatements({ build, prepare, isListed, tables }: Dialect) {
  const { teamMemberships: memberships } = tables
  const selection = selectMembership(tables)
  const pairId = { id: memberships.id }
  const accountCode = sql.placeholder('accountCode')
  const id = sql.placeholder('id')
  const userId = sql.placeholder('userId')
  const teamId = sql.placeholder('teamId')
  const versions = sql.placeholder('versions')
  const isOfAccount = eq(memberships.accountCode, accountCode)
  const isTheRow = and(isOfAccount, eq(memberships.id, id))
  const isThePair = and(isOfAccount, eq(memberships.userId, userId), eq(memberships.teamId, teamId))
  const hasAllowedVersion = or(sql`${versions} is null`, isListed(memberships.version, versions))
  const isOtherPair = sql`(${memberships.userId} <> ${userId} or ${memberships.teamId} <> ${teamId})`
  const move = build
    .update(memberships)
    .set({
      userId: sql`${userId}`,
      teamId: sql`${teamId}`,
      version: sql`${memberships.version} + ${isOtherPair}`,
    })
    .where(and(isTheRow, hasAllowedVersion))
  const remove = build.delete(memberships).where(and(isTheRow, hasAllowedVersion))
  return {
    findPair: prepare(build.select(pairId).from(memberships).where(isThePair), pairId),
    find: prepare(build.select(selection).from(memberships).where(isTheRow), selection),
    insert: prepare(
      build.insert(memberships).values({ accountCode, id, userId, teamId }).returning(selection),
      selection,
    ),
    move: prepare(move.returning(selection), selection),
    remove: prepare(remove.returning(selection), selection),
  }
}
