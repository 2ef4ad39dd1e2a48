import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { runCommand } from '../server/spawn-command.ts'
import { accountCode, emailOf, membershipOf, seeded, teamNameOf, userNameOf } from './data.ts'

export interface Seed {
  /** A database file that nobody has open; each contender gets a copy. */
  readonly path: string
  readonly token: string
  /** A token of another account, which may run scripts. */
  readonly otherToken: string
}

/** Makes the data once: the gateway's own command makes the file and the tokens, the rows are written beside it. */
export async function makeSeed(folder: string): Promise<Seed> {
  const path = join(folder, 'seed.db')
  const token = await issueToken(path, ['--account', accountCode, '--email', 'bench@example.com'])
  const otherToken = await issueToken(path, ['--account', 'busy', '--email', 'busy@example.com'])
  fill(path)
  return { path, token, otherToken }
}

async function issueToken(path: string, args: readonly string[]): Promise<string> {
  const scopes = ['memberships:read', 'memberships:write', 'tasks:execute'].flatMap(name => ['--scope', name])
  const { code, stdout, stderr } = await runCommand(['token', ...args, ...scopes], {
    DATABASE_URL: `sqlite:${path}`,
  })
  if (code !== 0) throw new Error(`The token command failed: ${stderr}`)
  return stdout.trim()
}

function fill(path: string): void {
  const client = new SqliteDatabase(path)
  const user = client.prepare('INSERT INTO users (account_code, id, email, display_name) VALUES (?, ?, ?, ?)')
  const team = client.prepare('INSERT INTO teams (account_code, id, name) VALUES (?, ?, ?)')
  const membership = client.prepare(
    'INSERT INTO team_memberships (account_code, id, user_id, team_id) VALUES (?, ?, ?, ?)',
  )
  const counter = client.prepare(
    "INSERT INTO counters (account_code, name, value) VALUES (?, 'membership', ?)",
  )
  client.transaction(() => {
    for (let id = 1; id <= seeded.users; id++) user.run(accountCode, id, emailOf(id), userNameOf(id))
    for (let id = 1; id <= seeded.teams; id++) team.run(accountCode, id, teamNameOf(id))
    for (let id = 1; id <= seeded.memberships; id++) {
      const { userId, teamId } = membershipOf(id)
      membership.run(accountCode, id, userId, teamId)
    }
    counter.run(accountCode, seeded.memberships)
  })()
  client.pragma('wal_checkpoint(TRUNCATE)')
  client.close()
}
