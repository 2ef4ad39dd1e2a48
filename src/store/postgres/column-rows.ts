import { type SQL, sql } from 'drizzle-orm'
import type { Values } from '../dialect.ts'
import type { RowOf, Selection, StoreColumn } from '../tables/tables-of.ts'
import type { Client } from './connection/client.ts'
import { prepareText } from './prepare-text.ts'

/** The values of each column in the order of the rows; null where there are no rows. */
export type Columns = readonly (readonly unknown[] | null)[]

/**
 * Selects rows as one row of JSON arrays, one for each column. The driver takes a microsecond for each value, so that
 * 1,000 rows of five values would take five times as long.
 */
export function aggregate(columns: readonly (SQL | StoreColumn)[]): SQL {
  return sql.join(
    columns.map(column => sql`json_agg(${column})`),
    sql`, `,
  )
}

/** Prepares a statement that gives such a row. */
export function prepareColumns(query: SQL): (client: Client, values: Values) => Promise<Columns> {
  const { text, bind } = prepareText(query)
  return async (client, values) => {
    const [row = []] = await client.query(text, bind(values))
    return row as Columns
  }
}

/** A function to the rows in the columns. JSON has times as text, and no bytes. */
export function createReadRows<S extends Selection>(selection: S): (columns: Columns) => RowOf<S>[] {
  const fields = Object.entries<StoreColumn>(selection).map(([name, { dataType }]) => ({ name, dataType }))
  return columns =>
    (columns[0] ?? []).map((_, index) => {
      const row: Record<string, unknown> = {}
      for (const [place, { name, dataType }] of fields.entries()) {
        const value = columns[place]?.[index] ?? null
        row[name] = dataType === 'date' && value !== null ? new Date(String(value)) : value
      }
      return row as RowOf<S>
    })
}
