import type { AccountStore } from '../domain/store.ts'
import type { Database } from './database.ts'
import type { Parts } from './entities.ts'

export function createAccountStore(database: Database, { provision }: Parts): AccountStore {
  const { build, prepare, tables, read, write } = database
  const selection = { accountCode: tables.accounts.accountCode }
  const findOne = prepare(build.select(selection).from(tables.accounts).limit(1), selection)
  return {
    isEmpty: async () => (await read(findOne, {})).length === 0,
    ensure: accountCode => write(accountCode, () => provision.account(accountCode)),
  }
}
