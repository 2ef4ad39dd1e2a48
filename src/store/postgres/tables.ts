import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { buildTables, type TableKit } from '../tables/build-tables.ts'
import type { ColumnDescription } from '../tables/describe-table.ts'

const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })

const builders = {
  text: (name: string) => text(name),
  integer: (name: string) => bigint(name, { mode: 'number' }),
  boolean: (name: string) => boolean(name),
  time: (name: string) => timestamp(name, { withTimezone: true }),
  bytes: (name: string) => bytes(name),
}

const times = { now: sql`now()`, clock: sql`clock_timestamp()` }

function buildColumn(name: string, { type, nullable, default: value }: ColumnDescription) {
  if (value === 'next id') return bigint(name, { mode: 'number' }).notNull().generatedByDefaultAsIdentity()
  const column = nullable ? builders[type](name) : builders[type](name).notNull()
  if (value === null) return column
  return column.default((typeof value === 'number' ? value : times[value]) as never)
}

export const tables = buildTables({
  engine: 'postgres',
  createTable: pgTable,
  primaryKey,
  foreignKey,
  index,
  uniqueIndex,
  buildColumn,
} as unknown as TableKit)

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
