import { sql } from 'drizzle-orm'
import {
  blob,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { buildTables } from '../tables/build-tables.ts'
import type { ColumnDescription } from '../tables/describe-table.ts'

export const now = sql`(cast(unixepoch('subsec') * 1000 as integer))`

const builders = {
  text: (name: string) => text(name),
  integer: (name: string) => integer(name),
  boolean: (name: string) => integer(name, { mode: 'boolean' }),
  time: (name: string) => integer(name, { mode: 'timestamp_ms' }),
  bytes: (name: string) => blob(name, { mode: 'buffer' }),
}

function buildColumn(name: string, { type, nullable, default: value }: ColumnDescription) {
  const column = nullable ? builders[type](name) : builders[type](name).notNull()
  if (value === null || value === 'next id') return column
  return column.default((typeof value === 'number' ? value : now) as never)
}

export const tables = buildTables({
  engine: 'sqlite',
  createTable: sqliteTable,
  primaryKey,
  foreignKey,
  index,
  uniqueIndex,
  buildColumn,
})

// For drizzle-kit, which looks for tables among the exports.
export const {
  accounts,
  users,
  teams,
  teamMemberships,
  apiTokens,
  counters,
  membershipEvents,
  idempotencyKeys,
  idempotencySteps,
  idempotencyUsage,
} = tables
