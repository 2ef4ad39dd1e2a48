import { type SQL, sql } from 'drizzle-orm'
import { createBindValues } from '../bind-values.ts'
import type { Query, Values } from '../dialect.ts'
import type { RowOf, Selection, StoreColumn } from '../tables/tables-of.ts'
import type { Client, Parameter } from './connection/client.ts'

/** The values of each column in the order of the rows; null where there are no rows. */
export type Columns = readonly (readonly unknown[] | null)[]

/**
 * Selects rows as one row of JSON arrays, one for each column: the driver takes a microsecond for a value, so that 1,000 rows of
 * five values would take five times as long.
 */
export function aggregate(selection: Selection): Record<string, SQL> {
  const entries = Object.entries(selection)
  return Object.fromEntries(entries.map(([name, column]) => [name, sql`json_agg(${column})`]))
}

/** Prepares a statement that gives such a row. */
export function prepareColumns(query: Query): (client: Client, values: Values) => Promise<Columns> {
  const { sql: text, params } = query.toSQL()
  const bind = createBindValues(params)
  return async (client, values) => {
    const [row = []] = await client.queryArrays(text, bind(values) as Parameter[])
    return row as Columns
  }
}

/** A function to the row at an index of the columns. JSON has times as text, and no bytes. */
export function createReadRow<S extends Selection>(selection: S) {
  const fields = Object.entries<StoreColumn>(selection).map(([name, { dataType }]) => ({ name, dataType }))
  return (columns: Columns, index: number): RowOf<S> => {
    const row: Record<string, unknown> = {}
    for (const [place, { name, dataType }] of fields.entries()) {
      const value = columns[place]?.[index] ?? null
      row[name] = dataType === 'date' && value !== null ? new Date(String(value)) : value
    }
    return row as RowOf<S>
  }
}
