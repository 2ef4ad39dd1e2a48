import type { Database as Client } from 'better-sqlite3'
import { type Placeholder, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { Dialect } from '../dialect.ts'
import type { ChangeMark } from './connection/change-mark.ts'
import { createPrepare } from './connection/create-prepare.ts'
import { createFindCached } from './find-cached.ts'
import { encodeIds, isListed } from './id-list.ts'
import { createPageByParent } from './page-by-parent.ts'
import { now, tables } from './tables.ts'

export function createSqliteDialect(client: Client, changeMark: ChangeMark): Dialect {
  const build = drizzle(client)
  const prepare = createPrepare(client)

  return {
    tables,
    build,
    prepare,
    now,
    nowPlus: ms => sql`(${now} + ${ms})`,
    typed: (placeholder: Placeholder) => sql`${placeholder}`,
    isListed,
    encodeList: encodeIds,
    nextTokenId: prepareNextTokenId({ build, prepare, tables }),
    pageByParent: paging => createPageByParent({ build, prepare, ...paging }),
    findByIds: (table, selection, maxCachedRows) =>
      createFindCached({ build, prepare, changeMark, table, selection, maxCachedRows }),
  }
}

// Under the empty account code, which no account has.
function prepareNextTokenId({
  build,
  prepare,
  tables: { counters },
}: Pick<Dialect, 'build' | 'prepare' | 'tables'>) {
  const selection = { id: counters.value }
  const next = build
    .insert(counters)
    .values({ accountCode: '', name: 'API token', value: 1 })
    .onConflictDoUpdate({
      target: [counters.accountCode, counters.name],
      set: { value: sql`${counters.value} + 1` },
    })
    .returning(selection)
  return prepare(next, selection)
}
