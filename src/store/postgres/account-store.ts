import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { AccountStore } from '../../domain/store.ts'
import { insertAccount } from './provision-account.ts'
import { accounts } from './tables.ts'

export function createAccountStore(db: PgRemoteDatabase): AccountStore {
  const insert = insertAccount(db).prepare('provision_account')
  const findOne = db
    .select({ accountCode: accounts.accountCode })
    .from(accounts)
    .limit(1)
    .prepare('find_account')
  return {
    async isEmpty() {
      return (await findOne.execute()).length === 0
    },
    async ensure(accountCode) {
      return (await insert.execute({ accountCode })).length > 0
    },
  }
}
