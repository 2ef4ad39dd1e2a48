import type { AccountStore } from '../../domain/store.ts'
import type { SqliteDb } from './connect.ts'
import { prepareRows } from './prepare-statement.ts'
import type { Provision } from './provision.ts'
import { accounts } from './tables.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: SqliteDb
  readonly transactions: Transactions
  readonly provision: Provision
}

export function createAccountStore({ db, transactions, provision }: Dependencies): AccountStore {
  const query = db.select({ accountCode: accounts.accountCode }).from(accounts).limit(1)
  const findOne = prepareRows(db, { query, read: ([code]: [string]) => code })
  return {
    async isEmpty() {
      return findOne.get({}) === undefined
    },
    ensure(accountCode) {
      return transactions.write(() => provision.account(accountCode))
    },
  }
}
