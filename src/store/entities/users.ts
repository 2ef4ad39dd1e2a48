import { and, asc, eq, sql } from 'drizzle-orm'
import type { User, UserStore } from '../../domain/store.ts'
import type { Database } from '../database.ts'
import { first, only } from '../work.ts'
import type { Parts } from './entities.ts'

export function createUserStore(database: Database, { provision, takeNumbers }: Parts): UserStore {
  const { tables, read, write } = database
  const { users } = tables
  const selection = { id: users.id, email: users.email, displayName: users.displayName }
  const { find, findCached, forget } = database.findByIds(users, selection)
  const { findByEmail, insert, save } = prepareStatements(database, selection)
  return {
    findByIds: find,
    ...(findCached && { findKept: findCached }),
    async findByEmail(accountCode, email) {
      const [user] = await read(findByEmail, { accountCode, email })
      return user ?? null
    },
    save: (accountCode, id, { email, displayName }) =>
      write(accountCode, function* () {
        forget(accountCode, id)
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
        // A caller may have used one of these ids all the same; then the next one is as good.
        let created: User | undefined
        while (created === undefined) {
          const id = yield* takeNumbers(accountCode, 'created user')
          created = yield* first(insert, { accountCode, id, ...details })
        }
        return created
      }),
  }
}

function prepareStatements(
  { build, prepare, typed, tables: { users } }: Database,
  selection: Pick<Database['tables']['users'], 'id' | 'email' | 'displayName'>,
) {
  const accountCode = sql.placeholder('accountCode')
  const row = {
    accountCode,
    id: sql.placeholder('id'),
    email: sql.placeholder('email'),
    displayName: sql.placeholder('displayName'),
  }
  const setEmail = typed(sql.placeholder('setEmail'), 'boolean')
  const setDisplayName = typed(sql.placeholder('setDisplayName'), 'boolean')
  const findByEmail = build
    .select(selection)
    .from(users)
    .where(and(eq(users.accountCode, accountCode), eq(users.email, row.email)))
    .orderBy(asc(users.id))
    .limit(1)
  const insert = build.insert(users).values(row).onConflictDoNothing().returning(selection)
  const save = build
    .insert(users)
    .values(row)
    .onConflictDoUpdate({
      target: [users.accountCode, users.id],
      set: {
        email: sql`case when ${setEmail} then excluded.email else ${users.email} end`,
        displayName: sql`case when ${setDisplayName} then excluded.display_name else ${users.displayName} end`,
      },
    })
    .returning(selection)
  return {
    findByEmail: prepare(findByEmail, selection),
    insert: prepare(insert, selection),
    save: prepare(save, selection),
  }
}
