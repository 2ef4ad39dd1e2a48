import { and, asc, eq, sql } from 'drizzle-orm'
import type { User, UserStore } from '../../domain/store.ts'
import type { ChangeMark } from './change-mark.ts'
import type { SqliteDb } from './connect.ts'
import type { Counters } from './counters.ts'
import { prepareFindByIds } from './find-by-ids.ts'
import { createKeptRows, type KeptRows } from './kept-rows.ts'
import { prepareRows } from './prepare-statement.ts'
import type { Provision } from './provision.ts'
import { users } from './tables.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: SqliteDb
  readonly transactions: Transactions
  readonly provision: Provision
  readonly changeMark: ChangeMark
  readonly counters: Counters
}

// Of names and addresses as long as they may be: 10 MB.
const mostKept = 10_000

const columns = { id: users.id, email: users.email, displayName: users.displayName }
const read = ([id, email, displayName]: [number, string | null, string | null]): User => ({
  id,
  email,
  displayName,
})

export function createUserStore({
  db,
  transactions,
  provision,
  counters,
  changeMark,
}: Dependencies): UserStore {
  const keptRows = createKeptRows<User>(changeMark, mostKept)
  const { findByIds, findByEmail, insert, save } = prepare(db, keptRows)
  return {
    findKept: (accountCode, id) => keptRows.of(accountCode).get(id),
    async findByIds(accountCode, ids) {
      return findByIds(accountCode, ids)
    },
    async findByEmail(accountCode, email) {
      return findByEmail.get({ accountCode, email }) ?? null
    },
    save(accountCode, id, { email, displayName }) {
      return transactions.write(() => {
        keptRows.forget(accountCode, id)
        provision.account(accountCode)
        return save.only({
          accountCode,
          id,
          email: email ?? null,
          setEmail: Number(email !== undefined),
          displayName: displayName ?? null,
          setDisplayName: Number(displayName !== undefined),
        })
      })
    },
    create(accountCode, details) {
      return transactions.write(() => {
        provision.account(accountCode)
        // A caller may have used one of these ids all the same; then the next one is as good.
        let made: User | undefined
        while (made === undefined)
          made = insert.get({ accountCode, id: counters.next(accountCode, 'created user'), ...details })
        return made
      })
    },
  }
}

function prepare(db: SqliteDb, keptRows: KeptRows<User>) {
  const accountCode = sql.placeholder('accountCode')
  const row = {
    accountCode,
    id: sql.placeholder('id'),
    email: sql.placeholder('email'),
    displayName: sql.placeholder('displayName'),
  }
  const ofEmail = db
    .select(columns)
    .from(users)
    .where(and(eq(users.accountCode, accountCode), eq(users.email, row.email)))
    .orderBy(asc(users.id))
    .limit(1)
  const insert = db.insert(users).values(row).onConflictDoNothing().returning(columns)
  const save = db
    .insert(users)
    .values(row)
    .onConflictDoUpdate({
      target: [users.accountCode, users.id],
      set: {
        email: sql`case when ${sql.placeholder('setEmail')} then excluded.email else ${users.email} end`,
        displayName: sql`case when ${sql.placeholder('setDisplayName')} then excluded.display_name else ${users.displayName} end`,
      },
    })
    .returning(columns)
  return {
    findByIds: prepareFindByIds(db, { table: users, columns, read, keptRows }),
    findByEmail: prepareRows(db, { query: ofEmail, read }),
    insert: prepareRows(db, { query: insert, read }),
    save: prepareRows(db, { query: save, read }),
  }
}
