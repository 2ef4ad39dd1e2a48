import type { Database as Client } from 'better-sqlite3'
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Dialect, Statement } from '../dialect.ts'
import type { Selection } from '../tables/tables-of.ts'
import { createChain } from './chain.ts'
import type { ChangeMark } from './connection/change-mark.ts'
import { createReadRow, prepareRaw, toText } from './connection/create-prepare.ts'
import { createFindCached } from './find-cached.ts'
import { encodeIds, isListed, list } from './list.ts'
import { createPageByParent } from './page-by-parent.ts'
import { now, tables } from './tables.ts'

export function createSqliteDialect(client: Client, changeMark: ChangeMark): Dialect {
  const prepare = createPrepare(client)
  return {
    tables,
    isShared: false,
    prepare,
    chain: createChain(client),
    after: () => sql`true`,
    list,
    forUpdate: sql``,
    skipLocked: sql``,
    now,
    nowPlus: ms => sql`(${now} + ${ms})`,
    typed: (placeholder: Placeholder) => sql`${placeholder}`,
    isListed,
    encodeList: encodeIds,
    nextTokenId: prepareNextTokenId(prepare),
    pageByParent: paging => createPageByParent(prepare, paging),
    findByIds: (table, selection, maxCachedRows) =>
      createFindCached({ prepare, changeMark, table, selection, maxCachedRows }),
  }
}

function createPrepare(client: Client): Dialect['prepare'] {
  function prepare(query: SQL, selection: Selection = {}): Statement<Readonly<Record<string, unknown>>> {
    const { text, params } = toText(query)
    const statement = prepareRaw(client, text, params)
    const readRow = createReadRow(selection)
    return { run: values => statement.run(values).map(readRow) }
  }
  return prepare as Dialect['prepare']
}

// Under the empty account code, which no account has.
function prepareNextTokenId(prepare: Dialect['prepare']) {
  return prepare(
    sql`
      insert into counters (account_code, name, value) values ('', 'API token', 1)
      on conflict do update set value = value + 1 returning value`,
    { id: tables.counters.value },
  )
}
