import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { createBindValues } from '../bind-values.ts'
import type { Dialect, Query, Statement, Values } from '../dialect.ts'
import type { Selection } from '../tables/tables-of.ts'
import type { Client, Parameter } from './connection/client.ts'
import { type Clients, createFindListed } from './find-listed.ts'
import { encodeIds, isListed } from './id-list.ts'
import { createPageByParent } from './page-by-parent.ts'
import { tables } from './tables.ts'

const types = { text: sql`text`, integer: sql`bigint`, boolean: sql`boolean`, bytes: sql`bytea` }

export function createPostgresDialect(clients: Clients): Dialect {
  // Its methods and columns are those of SQLite's builder for all that the store writes; only the types differ.
  const pgBuild = drizzle(async () => ({ rows: [] }))
  const build = pgBuild as unknown as BetterSQLite3Database
  const prepare = createPrepare(clients.client)
  const nextTokenId = build.select({ id: sql`nextval('api_tokens_id_seq')` }).from(sql`(values (1)) as one`)
  return {
    tables,
    build,
    prepare,
    now: sql`now()`,
    nowPlus: ms => sql`(now() + ${ms}::float8 * interval '1 millisecond')`,
    typed: (placeholder: Placeholder, type): SQL => sql`${placeholder}::${types[type]}`,
    isListed: (column: Column, list) => isListed(column, list),
    encodeList: encodeIds,
    nextTokenId: prepare(nextTokenId, { id: tables.apiTokens.id }),
    pageByParent: paging => createPageByParent({ build: pgBuild, client: clients.client }, paging),
    findByIds: (table, selection) => ({
      find: createFindListed({ build, clients, table, selection }),
      forget: () => {},
    }),
  }
}

// The driver reads what columns hold: numbers, booleans, times and bytes need no decoding here.
function createPrepare(client: Client): Dialect['prepare'] {
  function prepare(query: Query, selection: Selection = {}): Statement<Readonly<Record<string, unknown>>> {
    const { sql: text, params } = query.toSQL()
    const bind = createBindValues(params)
    const names = Object.keys(selection)
    const read = (raw: readonly unknown[]) => {
      const row: Record<string, unknown> = {}
      for (const [index, name] of names.entries()) row[name] = raw[index]
      return row
    }
    return {
      async run(values: Values) {
        return (await client.queryArrays(text, bind(values) as Parameter[])).map(read)
      },
    }
  }
  return prepare as Dialect['prepare']
}
