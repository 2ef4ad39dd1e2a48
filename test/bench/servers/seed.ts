import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { runCommand } from '../../server/processes/spawn-command.ts'
import {
  accountCode,
  caseDataOf,
  caseTypes,
  emailOf,
  membershipOf,
  seeded,
  teamNameOf,
  userNameOf,
} from '../figures/data.ts'

export interface Seed {
  /** A database file that nobody has open; each contender gets a copy. */
  readonly path: string
  readonly token: string
  /** A token of another account, which may run scripts. */
  readonly otherToken: string
}

const scopesOfCallers = [
  'memberships:read',
  'memberships:write',
  'tasks:execute',
  'cases:read',
  'cases:write',
]
const scopesOfAuthors = ['functions:read', 'functions:write']

/** Makes the data once: the gateway's own command makes the file and the tokens, the rows are written beside it. */
export async function makeSeed(folder: string): Promise<Seed> {
  const path = join(folder, 'seed.db')
  const token = await issueToken(path, ['--account', accountCode, '--email', 'bench@example.com'])
  const otherToken = await issueToken(path, ['--account', 'busy', '--email', 'busy@example.com'])
  fill(path)
  return { path, token, otherToken }
}

async function issueToken(path: string, args: readonly string[]): Promise<string> {
  const scopes = [...scopesOfCallers, ...scopesOfAuthors].flatMap(name => ['--scope', name])
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
    fillCases(client)
  })()
  client.pragma('wal_checkpoint(TRUNCATE)')
  client.close()
}

function fillCases(client: SqliteDatabase.Database): void {
  const type = client.prepare(
    `INSERT INTO case_types (account_code, code, indexed_fields, written_fields, revision)
     VALUES (?, ?, '[]', '[]', 1)`,
  )
  const one = client.prepare(
    'INSERT INTO cases (account_code, id, case_type_code, data, data_bytes) VALUES (?, ?, ?, ?, ?)',
  )
  for (const { code, first, count } of caseTypes) {
    type.run(accountCode, code)
    for (let id = first; id < first + count; id++) {
      const data = JSON.stringify(caseDataOf(id, 0))
      one.run(accountCode, id, code, data, Buffer.byteLength(data))
    }
  }
  client
    .prepare("INSERT INTO counters (account_code, name, value) VALUES (?, 'case', ?)")
    .run(accountCode, seeded.cases)
}
