import { type SQL, sql } from 'drizzle-orm'
import type { User } from '../../domain/directory/directory-store.ts'
import { insertInto, select } from '../columns.ts'
import { columnsOf, type Dialect } from '../dialect.ts'
import { all, first, type Work } from '../work.ts'
import type { TakeNumbers } from './counters.ts'

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

/** Creates a user of a new id, and the account if it is missing, in the transaction of the caller. */
export type AddUser = (accountCode: string, details: Omit<User, 'id'>) => Work<User>

export function createAddUser(
  { prepare, tables }: Dialect,
  { provision, takeNumbers }: { readonly provision: Provision; readonly takeNumbers: TakeNumbers },
): AddUser {
  const user = select(tables.users, { omit: ['accountCode', 'createdAt'] })
  const insert = prepare(
    sql`
      ${insertInto(tables.users, { omit: ['createdAt'] })}
      on conflict do nothing returning ${columnsOf(user)}`,
    user,
  )
  return function* (accountCode, details) {
    yield* provision.account(accountCode)
    // If a caller has already used one of these ids, the next one is taken.
    let created: User | undefined
    while (created === undefined) {
      const id = yield* takeNumbers(accountCode, 'created user')
      created = yield* first(insert, { accountCode, id, ...details })
    }
    return created
  }
}
