import type { Database } from 'better-sqlite3'
import type { MembershipRow } from './prepare-reads.ts'

interface NewPair {
  readonly accountCode: string
  readonly userId: number
  readonly teamId: number
}

interface Move {
  readonly accountCode: string
  readonly id: number
  readonly teamId: number
}

const columns = 'id, user_id AS userId, team_id AS teamId, leader, version'

/** The gateway's writes, statement by statement, in one transaction each; they return once the commit is on disk. */
export function prepareWrites(client: Database) {
  const findPair = client.prepare<[string, number, number], { id: number }>(
    'SELECT id FROM team_memberships WHERE account_code = ? AND user_id = ? AND team_id = ?',
  )
  const account = client.prepare('INSERT INTO accounts (account_code) VALUES (?) ON CONFLICT DO NOTHING')
  const user = client.prepare('INSERT INTO users (account_code, id) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const team = client.prepare('INSERT INTO teams (account_code, id) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const nextId = client.prepare<[], { value: number }>(
    `INSERT INTO counters (account_code, name, value) VALUES ('', 'membership', 1)
     ON CONFLICT (account_code, name) DO UPDATE SET value = value + 1 RETURNING value`,
  )
  const insert = client.prepare<[string, number, number, number], MembershipRow>(
    `INSERT INTO team_memberships (account_code, id, user_id, team_id) VALUES (?, ?, ?, ?) RETURNING ${columns}`,
  )
  const move = client.prepare<[number, number, string, number], MembershipRow>(
    `UPDATE team_memberships SET team_id = ?, version = version + (team_id <> ?)
     WHERE account_code = ? AND id = ? RETURNING ${columns}`,
  )
  const addPair = client.transaction(({ accountCode, userId, teamId }: NewPair): MembershipRow | null => {
    if (findPair.get(accountCode, userId, teamId) !== undefined) return null
    account.run(accountCode)
    user.run(accountCode, userId)
    team.run(accountCode, teamId)
    const id = nextId.get()?.value ?? 0
    return insert.get(accountCode, id, userId, teamId) ?? null
  })
  const moveTeam = client.transaction(({ accountCode, id, teamId }: Move): MembershipRow | null => {
    account.run(accountCode)
    team.run(accountCode, teamId)
    return move.get(teamId, teamId, accountCode, id) ?? null
  })
  return {
    add: (pair: NewPair) => addPair.immediate(pair),
    move: (change: Move) => moveTeam.immediate(change),
  }
}
