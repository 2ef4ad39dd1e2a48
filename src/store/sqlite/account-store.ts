import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { AccountStore } from '../../domain/store.ts'
import type { Provision } from './provision.ts'
import { accounts } from './tables.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: BetterSQLite3Database
  readonly transactions: Transactions
  readonly provision: Provision
}

export function createAccountStore({ db, transactions, provision }: Dependencies): AccountStore {
  const findOne = db.select({ accountCode: accounts.accountCode }).from(accounts).limit(1).prepare()
  return {
    async isEmpty() {
      return findOne.get() === undefined
    },
    ensure(accountCode) {
      return transactions.write(() => provision.account(accountCode))
    },
  }
}
