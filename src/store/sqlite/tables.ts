import { sql } from 'drizzle-orm'
import * as core from 'drizzle-orm/sqlite-core'
import { buildTables } from '../tables/build-tables.ts'
import type { ColumnDescription } from '../tables/describe-table.ts'

export const now = sql`(cast(unixepoch('subsec') * 1000 as integer))`

const builders = {
  text: (name: string) => core.text(name),
  integer: (name: string) => core.integer(name),
  boolean: (name: string) => core.integer(name, { mode: 'boolean' }),
  time: (name: string) => core.integer(name, { mode: 'timestamp_ms' }),
  bytes: (name: string) => core.blob(name, { mode: 'buffer' }),
}

function buildColumn(name: string, { type, nullable, default: value }: ColumnDescription) {
  const column = nullable ? builders[type](name) : builders[type](name).notNull()
  if (value === null || value === 'next id') return column
  return column.default((typeof value === 'number' ? value : now) as never)
}

export const tables = buildTables({ engine: 'sqlite', core, createTable: core.sqliteTable, buildColumn })
