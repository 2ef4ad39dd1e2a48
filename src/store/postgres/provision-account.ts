import { sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import { accounts } from './tables.ts'

/** Makes the record of an account just in time (contract, section 1), inside the caller's transaction. True when it was missing. */
export type ProvisionAccount = (accountCode: string) => Promise<boolean>

export function createProvisionAccount(db: PgRemoteDatabase): ProvisionAccount {
  const insert = db
    .insert(accounts)
    .values({ accountCode: sql.placeholder('accountCode') })
    .onConflictDoNothing()
    .returning({ accountCode: accounts.accountCode })
    .prepare('provision_account')
  return async accountCode => (await insert.execute({ accountCode })).length > 0
}
