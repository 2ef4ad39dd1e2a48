import { fillPlaceholders, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Client, Parameter } from './client.ts'

/** Rows by their columns: the values of each, all of one length. */
export type Columns<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] }

interface ColumnQuery<Row> {
  readonly columns: { readonly [Name in keyof Row]: SQLWrapper }
  /** The statement in Drizzle's words; its placeholders take their values from those given at each call. */
  readonly select: (fields: Record<string, SQL>) => Query
}

interface Query {
  toSQL(): { readonly sql: string; readonly params: readonly unknown[] }
}

/**
 * A statement that answers its rows as one row of JSON arrays, null where there are none: the driver takes a microsecond for a value,
 * so that 1,000 rows of five values would take five times as long.
 */
export function prepareColumns<Row>({ columns, select }: ColumnQuery<Row>) {
  const entries = Object.entries<SQLWrapper>(columns)
  const names = entries.map(([name]) => name)
  const { sql: text, params } = select(
    Object.fromEntries(entries.map(([name, value]) => [name, sql`json_agg(${value})`])),
  ).toSQL()
  return async (client: Client, values: Record<string, unknown>): Promise<Columns<Row> | null> => {
    const given = fillPlaceholders([...params], values) as Parameter[]
    const [row] = await client.queryArrays(text, given)
    if (row?.[0] == null) return null
    return Object.fromEntries(names.map((name, index) => [name, row[index]])) as Columns<Row>
  }
}

/** The value of a column in a row that is there. */
export function valueAt<T>(column: readonly T[], row: number): T {
  const value = column[row]
  if (value === undefined) throw new Error(`A column without a row ${row} was answered.`)
  return value
}
