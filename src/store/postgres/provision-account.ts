import { sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import { accounts } from './tables.ts'

/** The part of a statement that makes the record of its account just in time (contract, section 1). */
export function withAccount(db: PgRemoteDatabase) {
  return db.$with('account').as(insertAccount(db))
}

/** Answers a row where the account was missing. */
export function insertAccount(db: PgRemoteDatabase) {
  return db
    .insert(accounts)
    .values({ accountCode: sql.placeholder('accountCode') })
    .onConflictDoNothing()
    .returning({ accountCode: accounts.accountCode })
}
