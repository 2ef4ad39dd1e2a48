import { type SQL, sql } from 'drizzle-orm'
import { insertInto } from '../columns.ts'
import type { Dialect } from '../dialect.ts'
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

export const findAnyAccount = sql`select account_code from accounts limit 1`

export function insertAccount({ tables }: Dialect): SQL {
  return sql`${insertInto(tables.accounts, { omit: ['createdAt'] })} on conflict do nothing`
}

export function createProvision(dialect: Dialect): Provision {
  const { prepare, tables } = dialect
  const key = { only: ['accountCode', 'id'] } as const
  const account = prepare(insertAccount(dialect))
  const user = prepare(sql`${insertInto(tables.users, key)} on conflict do nothing`)
  const team = prepare(sql`${insertInto(tables.teams, key)} on conflict do nothing`)
  const caseType = prepare(
    sql`
      ${insertInto(tables.caseTypes, { omit: ['createdAt'] })}
      on conflict do nothing returning code`,
    { code: tables.caseTypes.code },
  )
  return {
    account: accountCode => all(account, { accountCode }),
    user: (accountCode, id) => all(user, { accountCode, id }),
    team: (accountCode, id) => all(team, { accountCode, id }),
    *caseType(accountCode, caseTypeCode) {
      const type = { code: caseTypeCode, indexedFields: [], writtenFields: [], revision: 0 }
      return (yield* first(caseType, { accountCode, ...type })) !== undefined
    },
  }
}
