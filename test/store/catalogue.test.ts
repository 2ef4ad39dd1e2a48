import SqliteDatabase from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { askPostgres } from './ask-postgres.ts'
import { eachStore, type Harness } from './each-store.ts'

interface Key {
  readonly table: string
  readonly firstColumn: string
}

const ourTables = [
  'accounts',
  'api_tokens',
  'case_events',
  'case_leases',
  'case_types',
  'case_values',
  'cases',
  'counters',
  'idempotency_keys',
  'idempotency_steps',
  'membership_events',
  'team_memberships',
  'teams',
  'users',
]

eachStore(harness => {
  test('every primary and unique key starts with the account', async () => {
    const url = await harness.freshUrl()
    await (await openStore({ url })).close()
    const keys = await readKeys(harness, url)
    expect(new Set(keys.map(key => key.firstColumn))).toEqual(new Set(['account_code']))
    expect(keys.map(key => key.table)).toEqual(expect.arrayContaining(ourTables))
  })
})

function readKeys(harness: Harness, url: string): Promise<Key[]> {
  return harness.engine === 'SQLite' ? readSqliteKeys(url.slice('sqlite:'.length)) : readPostgresKeys(url)
}

async function readSqliteKeys(path: string): Promise<Key[]> {
  const client = new SqliteDatabase(path, { readonly: true })
  const keys = client
    .prepare<[], Key>(
      `select tables.name as "table", columns.name as firstColumn
       from sqlite_master as tables, pragma_index_list(tables.name) as keys, pragma_index_info(keys.name) as columns
       where tables.type = 'table' and keys."unique" and columns.seqno = 0
       union all
       select tables.name, columns.name from sqlite_master as tables, pragma_table_info(tables.name) as columns
       where tables.type = 'table' and columns.pk = 1`,
    )
    .all()
  client.close()
  return keys
}

function readPostgresKeys(url: string): Promise<Key[]> {
  return askPostgres<Key>(
    url,
    `select c.relname as "table", a.attname as "firstColumn"
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where i.indisunique and c.relnamespace = 'public'::regnamespace`,
  )
}
