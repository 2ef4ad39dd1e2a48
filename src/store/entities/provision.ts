import { sql } from 'drizzle-orm'
import type { Dialect } from '../dialect.ts'
import { first, type Work } from '../work.ts'

/** Creates records just in time (contract, section 1), in the transaction of the caller; those that exist stay as they are. */
export interface Provision {
  /** True when the account was missing. */
  account(accountCode: string): Work<boolean>
  user(accountCode: string, id: number): Work<void>
  team(accountCode: string, id: number): Work<void>
}

export function createProvision({ build, prepare, tables: { accounts, users, teams } }: Dialect): Provision {
  const accountCode = sql.placeholder('accountCode')
  const id = sql.placeholder('id')
  const created = { accountCode: accounts.accountCode }
  const insertAccount = prepare(
    build.insert(accounts).values({ accountCode }).onConflictDoNothing().returning(created),
    created,
  )
  const insertUser = prepare(build.insert(users).values({ accountCode, id }).onConflictDoNothing())
  const insertTeam = prepare(build.insert(teams).values({ accountCode, id }).onConflictDoNothing())
  return {
    *account(accountCode) {
      return (yield* first(insertAccount, { accountCode })) !== undefined
    },
    *user(accountCode, id) {
      yield* first(insertUser, { accountCode, id })
    },
    *team(accountCode, id) {
      yield* first(insertTeam, { accountCode, id })
    },
  }
}
