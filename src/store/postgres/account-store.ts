import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { AccountStore } from '../../domain/store.ts'
import type { ProvisionAccount } from './provision-account.ts'
import { accounts } from './tables.ts'

interface Dependencies {
  readonly db: PgRemoteDatabase
  readonly provisionAccount: ProvisionAccount
}

export function createAccountStore({ db, provisionAccount }: Dependencies): AccountStore {
  const findOne = db
    .select({ accountCode: accounts.accountCode })
    .from(accounts)
    .limit(1)
    .prepare('find_account')
  return {
    async isEmpty() {
      return (await findOne.execute()).length === 0
    },
    ensure: provisionAccount,
  }
}
