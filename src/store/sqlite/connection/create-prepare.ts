import type { Database as Client, Statement as SqliteStatement } from 'better-sqlite3'
import type { SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { createBindValues } from '../../bind-values.ts'
import { createDecode } from '../../decode-row.ts'
import type { Values } from '../../dialect.ts'
import type { Selection, StoreColumn } from '../../tables/tables-of.ts'
import { ListRows } from './list-rows.ts'

export type RawRow = readonly unknown[]

const writer = new SQLiteSyncDialect()

export function toText(query: SQL) {
  const { sql, params } = writer.sqlToQuery(query)
  return { text: sql.trim(), params }
}

/** A prepared statement: its rows as the driver returns them, and the names of their columns. */
export interface RawStatement {
  readonly columns: readonly string[]
  run(values: Values, before?: readonly unknown[]): RawRow[]
}

/** Prepares a statement of one connection. */
export type PrepareText = (text: string, params: readonly unknown[]) => RawStatement

/** Prepares a statement. `text` may have more parameters in front of those of the query; `before` has their values. */
export function prepareRaw(client: Client, text: string, params: readonly unknown[]): RawStatement {
  const bind = createBindValues(params, toDriverValue)
  const statement: SqliteStatement<unknown[], RawRow> = client.prepare(text)
  if (statement.reader) {
    const columns = statement.columns().map(({ name }) => name)
    statement.raw()
    return { columns, run: (values, before) => statement.all(...bind(values, before)) }
  }
  return {
    columns: [],
    run(values, before) {
      statement.run(...bind(values, before))
      return []
    },
  }
}

function toDriverValue(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  if (value instanceof ListRows) return value.bound
  return value instanceof Date ? value.getTime() : value
}

// Decoders for column types that SQLite does not have, such as times and booleans.
const decoders: Readonly<Record<string, (value: never) => unknown>> = {
  date: (value: number | null) => (value === null ? null : new Date(value)),
  boolean: (value: number | null) => (value === null ? null : value !== 0),
}

/**
 * Returns a function that makes a row from selected values. Drizzle's own reader decides for each value of each row how
 * to read it, which takes as long as SQLite itself.
 */
export function createReadRow(selection: Selection): (raw: RawRow) => Readonly<Record<string, unknown>> {
  const fields = Object.entries<StoreColumn>(selection).map(([name, column]) => ({
    name,
    decode: decoders[column.dataType] ?? null,
  }))
  const decodeRow = createDecode(selection)
  return raw => {
    const row: Record<string, unknown> = {}
    for (const [index, { name, decode }] of fields.entries()) {
      const value = raw[index]
      row[name] = decode === null ? value : decode(value as never)
    }
    decodeRow?.(row)
    return row
  }
}
