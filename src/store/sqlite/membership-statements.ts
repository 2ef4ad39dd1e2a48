import { and, eq, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Membership } from '../../domain/store.ts'
import type { SqliteDb } from './connect.ts'
import { prepareFindByIds } from './find-by-ids.ts'
import { isListed } from './id-list.ts'
import type { KeptRows } from './kept-rows.ts'
import { prepareRows } from './prepare-statement.ts'
import { teamMemberships as memberships } from './tables.ts'

export const membershipColumns = {
  id: memberships.id,
  userId: memberships.userId,
  teamId: memberships.teamId,
  leader: memberships.leader,
  version: memberships.version,
}

type RawMembership = [id: number, userId: number, teamId: number, leader: number | null, version: number]

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
  const rows = (query: Parameters<typeof prepareRows>[1]['query']) =>
    prepareRows(db, { query, read: readMembership })
  const number = (query: Parameters<typeof prepareRows>[1]['query']) =>
    prepareRows(db, { query, read: readNumber })
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
    findPairAfterMove: number(selectPairAfterMove(db)),
    findVersion: number(db.select({ version: memberships.version }).from(memberships).where(isTheRow)),
    insert: rows(
      db.insert(memberships).values({ accountCode, id, userId, teamId }).returning(membershipColumns),
    ),
    move: rows(
      db
        .update(memberships)
        .set({
          userId: sql`coalesce(${userId}, ${memberships.userId})`,
          teamId: sql`coalesce(${teamId}, ${memberships.teamId})`,
          version: sql`${memberships.version} + (
            ${memberships.userId} <> coalesce(${userId}, ${memberships.userId})
            or ${memberships.teamId} <> coalesce(${teamId}, ${memberships.teamId}))`,
        })
        .where(and(isTheRow, hasAllowedVersion))
        .returning(membershipColumns),
    ),
    remove: rows(db.delete(memberships).where(and(isTheRow, hasAllowedVersion)).returning(membershipColumns)),
  }
}

// The membership that already has the pair which the moved one would get: what the move leaves out is its own value.
function selectPairAfterMove(db: SqliteDb) {
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
}
