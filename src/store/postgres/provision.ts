import { sql } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { accounts, teams, users } from './tables.ts'

/**
 * Makes records just in time (contract, section 1), inside the caller's transaction; those that exist stay as they are.
 * To be called in the order account, user, team, without waiting in between: the statements travel together, and
 * transactions that make the same records wait for each other instead of deadlocking.
 */
export interface Provision {
  /** True when it was missing. */
  account(accountCode: string): Promise<boolean>
  user(accountCode: string, id: number): Promise<void>
  team(accountCode: string, id: number): Promise<void>
}

export function createProvision(db: PostgresJsDatabase): Provision {
  const accountCode = sql.placeholder('accountCode')
  const id = sql.placeholder('id')
  const account = db
    .insert(accounts)
    .values({ accountCode })
    .onConflictDoNothing()
    .returning({ accountCode: accounts.accountCode })
    .prepare('provision_account')
  const user = db.insert(users).values({ accountCode, id }).onConflictDoNothing().prepare('provision_user')
  const team = db.insert(teams).values({ accountCode, id }).onConflictDoNothing().prepare('provision_team')
  return {
    async account(code) {
      return (await account.execute({ accountCode: code })).length > 0
    },
    async user(code, userId) {
      await user.execute({ accountCode: code, id: userId })
    },
    async team(code, teamId) {
      await team.execute({ accountCode: code, id: teamId })
    },
  }
}
