import { asc, eq, sql } from 'drizzle-orm'
import type { User, UserStore } from '../../domain/store.ts'
import type { Database } from '../database.ts'
import { placeholders } from '../dialect.ts'
import { first, only } from '../work.ts'
import type { Parts } from './entities.ts'

const { accountCode, ...details } = placeholders('accountCode', 'id', 'email', 'displayName')

export function createUserStore(database: Database, parts: Parts): UserStore {
  const { tables, read, write } = database
  const { provision, takeNumbers, forgetCallers } = parts
  const selection = selectUser(tables)
  const { forget, ...reads } = database.findByIds(tables.users, selection)
  const { findByEmail, insert, save } = prepareStatements(database)
  return {
    ...reads,
    async findByEmail(accountCode, email) {
      const [user] = await read(findByEmail, { accountCode, email })
      return user ?? null
    },
    save: (accountCode, id, { email, displayName }) =>
      write(accountCode, function* () {
        forget(accountCode, id)
        forgetCallers()
        yield* provision.account(accountCode)
        return yield* only(save, {
          accountCode,
          id,
          email: email ?? null,
          setEmail: email !== undefined,
          displayName: displayName ?? null,
          setDisplayName: displayName !== undefined,
        })
      }),
    create: (accountCode, details) =>
      write(accountCode, function* () {
        yield* provision.account(accountCode)
        // If a caller has used one of these ids, the next one is as good.
        let created: User | undefined
        while (created === undefined) {
          const id = yield* takeNumbers(accountCode, 'created user')
          created = yield* first(insert, { accountCode, id, ...details })
        }
        return created
      }),
  }
}

function selectUser({ users: { id, email, displayName } }: Database['tables']) {
  return { id, email, displayName }
}

function prepareStatements({ build, prepare, typed, tables }: Database) {
  const { users } = tables
  const selection = selectUser(tables)
  const isOfEmail = sql`${eq(users.accountCode, accountCode)} and ${eq(users.email, details.email)}`
  const findByEmail = build.select(selection).from(users).where(isOfEmail).orderBy(asc(users.id)).limit(1)
  const insert = () => build.insert(users).values({ accountCode, ...details })
  const setEmail = typed(sql.placeholder('setEmail'), 'boolean')
  const setDisplayName = typed(sql.placeholder('setDisplayName'), 'boolean')
  const save = insert().onConflictDoUpdate({
    target: [users.accountCode, users.id],
    set: {
      email: sql`case when ${setEmail} then excluded.email else ${users.email} end`,
      displayName: sql`case when ${setDisplayName} then excluded.display_name else ${users.displayName} end`,
    },
  })
  return {
    findByEmail: prepare(findByEmail, selection),
    save: prepare(save.returning(selection), selection),
    insert: prepare(insert().onConflictDoNothing().returning(selection), selection),
  }
}
