import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ListColumns } from './dialect.ts'
import type { ColumnsOf, StoreColumn } from './tables/tables-of.ts'

type Key<T> = keyof ColumnsOf<T> & string

/** Columns of a table: the named ones, or all but those. */
type Which<K> = { readonly only: readonly K[] } | { readonly omit: readonly K[] }

type Selected<T, W> = W extends { readonly only: readonly (infer K)[] }
  ? Pick<ColumnsOf<T>, K & keyof ColumnsOf<T>>
  : W extends { readonly omit: readonly (infer K)[] }
    ? Omit<ColumnsOf<T>, K & string>
    : never

/** Selects columns of a table by their names. */
export function select<T extends SQLiteTable, const W extends Which<Key<T>>>(
  table: T,
  which: W,
): Selected<T, W> {
  return Object.fromEntries(listColumns(table, which)) as Selected<T, W>
}

/** An `insert` of one row, from placeholders with the names of the columns. Their values are encoded. */
export function insertInto<T extends SQLiteTable>(table: T, which: Which<Key<T>>): SQL {
  const columns = listColumns(table, which)
  const names = columns.map(([, { name }]) => sql.identifier(name))
  const values = columns.map(([key, column]) => placeholderOf(column, key))
  return sql`insert into ${table} (${sql.join(names, sql`, `)}) values (${sql.join(values, sql`, `)})`
}

/** The assignments of an `update`, from placeholders with the names of the columns. Their values are encoded. */
export function assign<T extends SQLiteTable>(table: T, which: Which<Key<T>>): SQL {
  const assignments = listColumns(table, which).map(
    ([key, column]) => sql`${sql.identifier(column.name)} = ${placeholderOf(column, key)}`,
  )
  return sql.join(assignments, sql`, `)
}

function listColumns<T extends SQLiteTable>(
  table: T,
  which: Which<Key<T>>,
): (readonly [string, StoreColumn])[] {
  const columns = Object.entries<StoreColumn>(getTableColumns(table))
  const isNamed = 'only' in which
  const names = new Set<string>(isNamed ? which.only : which.omit)
  return columns.filter(([key]) => names.has(key) === isNamed)
}

/** A placeholder whose value is encoded as in the column. */
function placeholderOf({ codec }: StoreColumn, name: string): SQL {
  const placeholder = sql.placeholder(name)
  if (codec === undefined) return sql`${placeholder}`
  return sql`${sql.param(placeholder, { mapToDriverValue: codec.encode as (value: unknown) => unknown })}`
}

/** Returns the function that encodes the rows of a list. */
export function createEncode(columns: ListColumns) {
  type Row = Readonly<Record<string, unknown>>
  const encodes = Object.entries(columns).flatMap(([key, column]) => {
    const encode = typeof column === 'string' ? undefined : column.codec?.encode
    return encode === undefined ? [] : { key, encode }
  })
  return (row: Row): Row => {
    if (encodes.length === 0) return row
    const encoded: Record<string, unknown> = { ...row }
    for (const { key, encode } of encodes) {
      const value = row[key]
      if (value !== null) encoded[key] = encode(value as never)
    }
    return encoded
  }
}
