import { sql } from 'drizzle-orm'
import type { SqliteDb } from './connect.ts'
import { prepareChange } from './prepare-statement.ts'
import { accounts, teams, users } from './tables.ts'

/** Makes records just in time (contract, section 1), inside the caller's transaction; those that exist stay as they are. */
export interface Provision {
  /** True when it was missing. */
  account(accountCode: string): boolean
  user(accountCode: string, id: number): void
  team(accountCode: string, id: number): void
}

export function createProvision(db: SqliteDb): Provision {
  const accountCode = sql.placeholder('accountCode')
  const id = sql.placeholder('id')
  const account = prepareChange(db, db.insert(accounts).values({ accountCode }).onConflictDoNothing())
  const user = prepareChange(db, db.insert(users).values({ accountCode, id }).onConflictDoNothing())
  const team = prepareChange(db, db.insert(teams).values({ accountCode, id }).onConflictDoNothing())
  return {
    account: code => account({ accountCode: code }) > 0,
    user: (code, userId) => void user({ accountCode: code, id: userId }),
    team: (code, teamId) => void team({ accountCode: code, id: teamId }),
  }
}
