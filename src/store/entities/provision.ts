import { sql } from 'drizzle-orm'
import { type Dialect, insertValues } from '../dialect.ts'
import { all, first, type Work } from '../work.ts'

/**
 * Creates missing records (contract, section 1), in the transaction of the caller. Those that exist stay as they are.
 */
export interface Provision {
  /** True when the account was missing. */
  account(accountCode: string): Work<boolean>
  user(accountCode: string, id: number): Work<unknown>
  team(accountCode: string, id: number): Work<unknown>
}

export function createProvision({ prepare, tables }: Dialect): Provision {
  const account = prepare(
    sql`insert into accounts ${insertValues('accountCode')} on conflict do nothing returning account_code`,
    { accountCode: tables.accounts.accountCode },
  )
  const values = sql`${insertValues('accountCode', 'id')} on conflict do nothing`
  const user = prepare(sql`insert into users ${values}`)
  const team = prepare(sql`insert into teams ${values}`)
  return {
    *account(accountCode) {
      return (yield* first(account, { accountCode })) !== undefined
    },
    user: (accountCode, id) => all(user, { accountCode, id }),
    team: (accountCode, id) => all(team, { accountCode, id }),
  }
}
