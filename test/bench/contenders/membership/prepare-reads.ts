import type { Database } from 'better-sqlite3'

export interface MembershipRow {
  readonly id: number
  readonly userId: number
  readonly teamId: number
  readonly leader: number | null
  readonly version: number
}

export interface UserRow {
  readonly id: number
  readonly email: string | null
  readonly displayName: string | null
}

export interface TeamRow {
  readonly id: number
  readonly name: string | null
}

const columns = 'id, user_id AS userId, team_id AS teamId, leader, version'
const listed = 'account_code = ? AND id IN (SELECT value FROM json_each(?))'

/**
 * The statements of all contenders, prepared once. Each names the account; a list of ids is one parameter, as in the
 * gateway.
 */
export function prepareReads(client: Database) {
  const membership = client.prepare<[string, number], MembershipRow>(
    `SELECT ${columns} FROM team_memberships WHERE account_code = ? AND id = ?`,
  )
  const memberships = client.prepare<[string, string], MembershipRow>(
    `SELECT ${columns} FROM team_memberships WHERE ${listed}`,
  )
  const users = client.prepare<[string, string], UserRow>(
    `SELECT id, email, display_name AS displayName FROM users WHERE ${listed}`,
  )
  const teams = client.prepare<[string, string], TeamRow>(`SELECT id, name FROM teams WHERE ${listed}`)
  return {
    membership: (accountCode: string, id: number) => membership.get(accountCode, id),
    memberships: (accountCode: string, ids: readonly number[]) =>
      memberships.all(accountCode, JSON.stringify(ids)),
    users: (accountCode: string, ids: readonly number[]) => users.all(accountCode, JSON.stringify(ids)),
    teams: (accountCode: string, ids: readonly number[]) => teams.all(accountCode, JSON.stringify(ids)),
  }
}

export type Reads = ReturnType<typeof prepareReads>

/** The rows in the order of the ids that were asked for, null where there is none. */
export function inOrder<Row extends { readonly id: number }>(
  ids: readonly number[],
  rows: readonly Row[],
): (Row | null)[] {
  const byId = new Map(rows.map(row => [row.id, row]))
  return ids.map(id => byId.get(id) ?? null)
}
