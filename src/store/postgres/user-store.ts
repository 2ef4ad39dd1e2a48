import { and, asc, eq, sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { User, UserStore } from '../../domain/store.ts'
import { createFindByIds, type Reading } from './find-by-ids.ts'
import { onlyRow } from './only-row.ts'
import { valueAt } from './prepare-columns.ts'
import { withAccount } from './provision-account.ts'
import { counters, users } from './tables.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies extends Reading {
  readonly transactions: Transactions
}

const firstCreatedId = 2 ** 52

const columns = { id: users.id, email: users.email, displayName: users.displayName }

export function createUserStore({ transactions, ...reading }: Dependencies): UserStore {
  const { findByEmail, insert, save } = prepare(reading.db)
  return {
    findByIds: createFindByIds<User>({
      ...reading,
      table: users,
      columns,
      read: ({ id, email, displayName }, index) => ({
        id: valueAt(id, index),
        email: valueAt(email, index),
        displayName: valueAt(displayName, index),
      }),
    }),
    async findByEmail(accountCode, email) {
      const [user] = await findByEmail.execute({ accountCode, email })
      return user ?? null
    },
    save(accountCode, id, { email, displayName }) {
      const row = {
        accountCode,
        id,
        email: email ?? null,
        setEmail: email !== undefined,
        displayName: displayName ?? null,
        setDisplayName: displayName !== undefined,
      }
      return transactions.retry(async () => onlyRow(await save.execute(row)))
    },
    async create(accountCode, details) {
      // A caller may have used one of these ids all the same; then the next one is as good.
      let made: User | undefined
      while (made === undefined) made = (await insert.execute({ accountCode, ...details }))[0]
      return made
    },
  }
}

function prepare(db: PgRemoteDatabase) {
  const accountCode = sql.placeholder('accountCode')
  const details = { email: sql.placeholder('email'), displayName: sql.placeholder('displayName') }
  const setEmail = sql`${sql.placeholder('setEmail')}::boolean`
  const setDisplayName = sql`${sql.placeholder('setDisplayName')}::boolean`
  const account = withAccount(db)
  const number = db.$with('number').as(
    db
      .insert(counters)
      .values({ accountCode, name: 'created user', value: firstCreatedId })
      .onConflictDoUpdate({
        target: [counters.accountCode, counters.name],
        set: { value: sql`${counters.value} + 1` },
      })
      .returning({ value: counters.value }),
  )
  return {
    findByEmail: db
      .select(columns)
      .from(users)
      .where(and(eq(users.accountCode, accountCode), eq(users.email, details.email)))
      .orderBy(asc(users.id))
      .limit(1)
      .prepare('find_user_by_email'),
    insert: db
      .with(account, number)
      .insert(users)
      .values({ accountCode, id: sql`(select value from ${number})`, ...details })
      .onConflictDoNothing()
      .returning(columns)
      .prepare('create_user'),
    save: db
      .with(account)
      .insert(users)
      .values({ accountCode, id: sql.placeholder('id'), ...details })
      .onConflictDoUpdate({
        target: [users.accountCode, users.id],
        set: {
          email: sql`case when ${setEmail} then excluded.email else ${users.email} end`,
          displayName: sql`case when ${setDisplayName} then excluded.display_name else ${users.displayName} end`,
        },
      })
      .returning(columns)
      .prepare('save_user'),
  }
}
