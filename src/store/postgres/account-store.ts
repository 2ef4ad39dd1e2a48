import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { AccountStore } from '../../domain/store.ts'
import type { Provision } from './provision.ts'
import { accounts } from './tables.ts'

interface Dependencies {
  readonly db: PostgresJsDatabase
  readonly provision: Provision
}

export function createAccountStore({ db, provision }: Dependencies): AccountStore {
  const findOne = db
    .select({ accountCode: accounts.accountCode })
    .from(accounts)
    .limit(1)
    .prepare('find_account')
  return {
    async isEmpty() {
      return (await findOne.execute()).length === 0
    },
    ensure: accountCode => provision.account(accountCode),
  }
}
