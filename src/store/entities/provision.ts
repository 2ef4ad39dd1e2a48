import { sql } from 'drizzle-orm'
import { type Dialect, insertValues } from '../dialect.ts'
import { all, first, type Work } from '../work.ts'

/**
 * Creates missing records (contract, section 1), in the transaction of the caller. Those that exist stay as they are.
 */
export interface Provision {
  account(accountCode: string): Work<unknown>
  user(accountCode: string, id: number): Work<unknown>
  team(accountCode: string, id: number): Work<unknown>
  /** Returns true if this call created the type. */
  caseType(accountCode: string, caseTypeCode: string): Work<boolean>
}

export const insertAccount = sql`insert into accounts ${insertValues('accountCode')} on conflict do nothing`

export function createProvision({ prepare, tables }: Dialect): Provision {
  const values = sql`${insertValues('accountCode', 'id')} on conflict do nothing`
  const account = prepare(insertAccount)
  const user = prepare(sql`insert into users ${values}`)
  const team = prepare(sql`insert into teams ${values}`)
  const caseType = prepare(
    sql`
      insert into case_types (account_code, code, indexed_fields, written_fields, revision)
      values (${sql.placeholder('accountCode')}, ${sql.placeholder('caseTypeCode')}, '[]', '[]', 0)
      on conflict do nothing returning code`,
    { code: tables.caseTypes.code },
  )
  return {
    account: accountCode => all(account, { accountCode }),
    user: (accountCode, id) => all(user, { accountCode, id }),
    team: (accountCode, id) => all(team, { accountCode, id }),
    *caseType(accountCode, caseTypeCode) {
      return (yield* first(caseType, { accountCode, caseTypeCode })) !== undefined
    },
  }
}
