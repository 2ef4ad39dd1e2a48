import type { Sql } from 'postgres'

// The driver gives 64-bit integers as text.
export interface RawRow {
  readonly id: string
  readonly user_id: string
  readonly team_id: string
  readonly leader: boolean | null
  readonly version: string
}

/**
 * The statements of the reads, which the driver prepares at their first use. Each names the account; a list is one
 * parameter.
 */
export function createPostgresReads(sql: Sql) {
  return {
    async membership(accountCode: string, id: number) {
      const [row] = await sql<RawRow[]>`
        select id, user_id, team_id, leader, version from team_memberships
        where account_code = ${accountCode} and id = ${id}`
      return row && readRow(row)
    },
    async memberships(accountCode: string, ids: readonly number[]) {
      const rows = await sql<RawRow[]>`
        select id, user_id, team_id, leader, version from team_memberships
        where account_code = ${accountCode} and id = any(${`{${ids}}`}::bigint[])`
      return rows.map(readRow)
    },
  }
}

export function readRow(row: RawRow) {
  const { id, user_id: userId, team_id: teamId, leader, version } = row
  return {
    id: Number(id),
    userId: Number(userId),
    teamId: Number(teamId),
    leader,
    version: Number(version),
  }
}
