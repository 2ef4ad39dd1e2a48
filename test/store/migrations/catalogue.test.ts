import { expect, test } from 'vitest'
import { openStore } from '../../../src/store/open-store.ts'
import { toColumnName } from '../../../src/store/tables/describe-table.ts'
import { descriptions } from '../../../src/store/tables/descriptions.ts'
import { eachStore } from '../databases/each-store.ts'
import { readRows } from '../databases/read-rows.ts'

interface Key {
  readonly table: string
  readonly firstColumn: string
}

const queries = {
  SQLite: `
    select tables.name as "table", columns.name as "firstColumn"
    from sqlite_master as tables, pragma_index_list(tables.name) as keys, pragma_index_info(keys.name) as columns
    where tables.type = 'table' and keys."unique" and columns.seqno = 0
    union all
    select tables.name, columns.name from sqlite_master as tables, pragma_table_info(tables.name) as columns
    where tables.type = 'table' and columns.pk = 1`,
  PostgreSQL: `
    select c.relname as "table", a.attname as "firstColumn"
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where i.indisunique and c.relnamespace = 'public'::regnamespace`,
}

eachStore(harness => {
  test('every table has a key, and every primary and unique key starts with the account', async () => {
    const url = await harness.freshUrl()
    await (await openStore({ url })).close()
    const keys = await readRows<Key>(url, queries[harness.engine])
    expect(new Set(keys.map(key => key.firstColumn))).toEqual(new Set(['account_code']))
    const tables = Object.keys(descriptions).map(toColumnName)
    expect([...new Set(keys.map(key => key.table))].toSorted()).toEqual(tables.toSorted())
  })
})
