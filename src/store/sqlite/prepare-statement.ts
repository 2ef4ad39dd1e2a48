import type { Statement } from 'better-sqlite3'
import { is, Param, Placeholder } from 'drizzle-orm'
import type { SqliteDb } from './connect.ts'

type Values = Readonly<Record<string, unknown>>
type ReadParameter = (values: Values) => unknown

/** Anything that Drizzle builds; placeholders in it take their values from those given at each call. */
export interface Query {
  toSQL(): { readonly sql: string; readonly params: readonly unknown[] }
}

interface RowQuery<Raw extends readonly unknown[], Row> {
  readonly query: Query
  /** Makes a row of the values selected, in the order of the selection. */
  readonly read: (raw: Raw) => Row
}

export interface RowStatement<Row> {
  all(values: Values): Row[]
  get(values: Values): Row | undefined
  /** For a statement that always gives a row. */
  only(values: Values): Row
}

/**
 * A statement in Drizzle's words, run by the driver itself: a statement that Drizzle runs looks up for each value of each row
 * how to read it, which takes as long as SQLite does.
 */
export function prepareRows<Raw extends readonly unknown[], Row>(
  db: SqliteDb,
  { query, read }: RowQuery<Raw, Row>,
): RowStatement<Row> {
  const { statement, bind } = prepare<Raw>(db, query)
  statement.raw()
  const get = (values: Values) => {
    const raw = statement.get(bind(values))
    return raw === undefined ? undefined : read(raw)
  }
  return {
    get,
    all: values => statement.all(bind(values)).map(read),
    only(values) {
      const row = get(values)
      if (row === undefined) throw new Error(`A statement that gives a row gave none: ${statement.source}`)
      return row
    },
  }
}

/** The same for a statement without rows; gives how many it changed. */
export function prepareChange(db: SqliteDb, query: Query): (values: Values) => number {
  const { statement, bind } = prepare(db, query)
  return values => statement.run(bind(values)).changes
}

function prepare<Raw>({ $client }: SqliteDb, query: Query) {
  const { sql, params } = query.toSQL()
  const parameters = params.map(toReadParameter)
  const statement: Statement<unknown[], Raw> = $client.prepare(sql)
  const bind = (values: Values) => parameters.map(readParameter => readParameter(values))
  return { statement, bind }
}

function toReadParameter(param: unknown): ReadParameter {
  if (is(param, Placeholder)) return values => values[param.name]
  if (!is(param, Param)) return () => param
  const { value, encoder } = param
  return is(value, Placeholder)
    ? values => encoder.mapToDriverValue(values[value.name])
    : () => encoder.mapToDriverValue(value)
}
