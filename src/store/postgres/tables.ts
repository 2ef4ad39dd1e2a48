import { sql } from 'drizzle-orm'
import * as core from 'drizzle-orm/pg-core'
import { buildTables, type TableKit } from '../tables/build-tables.ts'
import type { ColumnDescription } from '../tables/describe-table.ts'

const bytes = core.customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })

const builders = {
  text: (name: string) => core.text(name),
  integer: (name: string) => core.bigint(name, { mode: 'number' }),
  boolean: (name: string) => core.boolean(name),
  time: (name: string) => core.timestamp(name, { withTimezone: true }),
  bytes: (name: string) => bytes(name),
}

const times = { now: sql`now()`, clock: sql`clock_timestamp()` }

function buildColumn(name: string, { type, nullable, default: value }: ColumnDescription) {
  if (value === 'next id')
    return core.bigint(name, { mode: 'number' }).notNull().generatedByDefaultAsIdentity()
  const column = nullable ? builders[type](name) : builders[type](name).notNull()
  if (value === null) return column
  return column.default((typeof value === 'number' ? value : times[value]) as never)
}

const kit = { engine: 'postgres', core, createTable: core.pgTable, buildColumn }

export const tables = buildTables(kit as unknown as TableKit)
