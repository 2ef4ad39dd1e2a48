import { and, eq, or, sql } from 'drizzle-orm'
import type { Membership } from '../../domain/store.ts'
import type { SqliteDb } from './connect.ts'
import { prepareFindByIds } from './find-by-ids.ts'
import { isListed } from './id-list.ts'
import type { KeptRows } from './kept-rows.ts'
import { prepareRows, type Query } from './prepare-statement.ts'
import { teamMemberships as memberships } from './tables.ts'

export const membershipColumns = {
  id: memberships.id,
  userId: memberships.userId,
  teamId: memberships.teamId,
  leader: memberships.leader,
  version: memberships.version,
}

export type RawMembership = [
  id: number,
  userId: number,
  teamId: number,
  leader: number | null,
  version: number,
]

export function readMembership([id, userId, teamId, leader, version]: RawMembership): Membership {
  return { id, userId, teamId, leader: leader === null ? null : leader !== 0, version }
}

const readNumber = ([value]: [number]) => value

const accountCode = sql.placeholder('accountCode')
const id = sql.placeholder('id')
const userId = sql.placeholder('userId')
const teamId = sql.placeholder('teamId')
const versions = sql.placeholder('versions')

const isTheRow = and(eq(memberships.accountCode, accountCode), eq(memberships.id, id))
const hasAllowedVersion = or(sql`${versions} is null`, isListed(memberships.version, versions))

export function prepareMembershipStatements(db: SqliteDb, keptRows: KeptRows<Membership>) {
  const rows = (query: Query) => prepareRows(db, { query, read: readMembership })
  const number = (query: Query) => prepareRows(db, { query, read: readNumber })
  return {
    findByIds: prepareFindByIds(db, {
      table: memberships,
      columns: membershipColumns,
      read: readMembership,
      keptRows,
    }),
    findPair: number(
      db
        .select({ id: memberships.id })
        .from(memberships)
        .where(
          and(
            eq(memberships.accountCode, accountCode),
            eq(memberships.userId, userId),
            eq(memberships.teamId, teamId),
          ),
        ),
    ),
    find: rows(db.select(membershipColumns).from(memberships).where(isTheRow)),
    insert: rows(
      db.insert(memberships).values({ accountCode, id, userId, teamId }).returning(membershipColumns),
    ),
    move: rows(
      db
        .update(memberships)
        .set({
          userId: sql`${userId}`,
          teamId: sql`${teamId}`,
          version: sql`${memberships.version} + (${memberships.userId} <> ${userId} or ${memberships.teamId} <> ${teamId})`,
        })
        .where(and(isTheRow, hasAllowedVersion))
        .returning(membershipColumns),
    ),
    remove: rows(db.delete(memberships).where(and(isTheRow, hasAllowedVersion)).returning(membershipColumns)),
  }
}
