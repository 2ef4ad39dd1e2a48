import { sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { accounts, teams, users } from './tables.ts'

/** Makes records just in time (contract, section 1), inside the caller's transaction; those that exist stay as they are. */
export interface Provision {
  /** True when it was missing. */
  account(accountCode: string): boolean
  user(accountCode: string, id: number): void
  team(accountCode: string, id: number): void
}

export function createProvision(db: BetterSQLite3Database): Provision {
  const accountCode = sql.placeholder('accountCode')
  const id = sql.placeholder('id')
  const account = db.insert(accounts).values({ accountCode }).onConflictDoNothing().prepare()
  const user = db.insert(users).values({ accountCode, id }).onConflictDoNothing().prepare()
  const team = db.insert(teams).values({ accountCode, id }).onConflictDoNothing().prepare()
  return {
    account: code => account.run({ accountCode: code }).changes > 0,
    user: (code, userId) => void user.run({ accountCode: code, id: userId }),
    team: (code, teamId) => void team.run({ accountCode: code, id: teamId }),
  }
}
