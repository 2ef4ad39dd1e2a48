import { randomUUID } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import type { Caller } from '../authenticate.ts'
import type { MembershipRow } from './prepare-reads.ts'

interface Pair {
  readonly userId: number
  readonly teamId: number
}

interface Move {
  readonly id: number
  readonly teamId: number
}

interface Change {
  readonly kind: 'added' | 'moved'
  readonly before: Pair | null
  readonly after: MembershipRow
}

const columns = 'id, user_id AS userId, team_id AS teamId, leader, version'

/**
 * The gateway's writes, statement by statement, in one transaction each, with the event of each change; they return
 * once the commit is on disk.
 */
export function prepareWrites(client: Database) {
  const find = client.prepare<[string, number], MembershipRow>(
    `SELECT ${columns} FROM team_memberships WHERE account_code = ? AND id = ?`,
  )
  const findPair = client.prepare<[string, number, number], { id: number }>(
    'SELECT id FROM team_memberships WHERE account_code = ? AND user_id = ? AND team_id = ?',
  )
  const account = client.prepare('INSERT INTO accounts (account_code) VALUES (?) ON CONFLICT DO NOTHING')
  const user = client.prepare('INSERT INTO users (account_code, id) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const team = client.prepare('INSERT INTO teams (account_code, id) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const nextNumber = client.prepare<[string, string], { value: number }>(
    `INSERT INTO counters (account_code, name, value) VALUES (?, ?, 1)
     ON CONFLICT (account_code, name) DO UPDATE SET value = value + 1 RETURNING value`,
  )
  const insert = client.prepare<[string, number, number, number], MembershipRow>(
    `INSERT INTO team_memberships (account_code, id, user_id, team_id) VALUES (?, ?, ?, ?) RETURNING ${columns}`,
  )
  const move = client.prepare<[number, number, string, number], MembershipRow>(
    `UPDATE team_memberships SET team_id = ?, version = version + (team_id <> ?)
     WHERE account_code = ? AND id = ? RETURNING ${columns}`,
  )
  const event = client.prepare(
    `INSERT INTO membership_events (account_code, sequence, kind, membership_id, before_user_id, before_team_id,
       after_user_id, after_team_id, by_user_id, by_email, transaction_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)`,
  )
  const next = (accountCode: string, name: string) => nextNumber.get(accountCode, name)?.value ?? 0
  function writeEvent({ accountCode, userId }: Caller, { kind, before, after }: Change): void {
    const pairs = [before?.userId ?? null, before?.teamId ?? null, after.userId, after.teamId]
    event.run(
      accountCode,
      next(accountCode, 'membership event'),
      kind,
      after.id,
      ...pairs,
      userId,
      randomUUID(),
    )
  }
  const addPair = client.transaction((caller: Caller, { userId, teamId }: Pair): MembershipRow | null => {
    const { accountCode } = caller
    if (findPair.get(accountCode, userId, teamId) !== undefined) return null
    account.run(accountCode)
    user.run(accountCode, userId)
    team.run(accountCode, teamId)
    const row = insert.get(accountCode, next(accountCode, 'membership'), userId, teamId) ?? null
    if (row !== null) writeEvent(caller, { kind: 'added', before: null, after: row })
    return row
  })
  const moveTeam = client.transaction((caller: Caller, { id, teamId }: Move): MembershipRow | null => {
    const { accountCode } = caller
    const before = find.get(accountCode, id)
    if (before === undefined) return null
    team.run(accountCode, teamId)
    const after = move.get(teamId, teamId, accountCode, id) ?? null
    if (after !== null) writeEvent(caller, { kind: 'moved', before, after })
    return after
  })
  return { add: addPair.immediate, move: moveTeam.immediate }
}
