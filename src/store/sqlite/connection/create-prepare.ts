import type { Database as Client, Statement as SqliteStatement } from 'better-sqlite3'
import { createBindValues } from '../../bind-values.ts'
import type { Query, Statement, Values } from '../../dialect.ts'
import type { RowOf, Selection, StoreColumn } from '../../tables/tables-of.ts'

type Raw = readonly unknown[]

export interface Prepare {
  (query: Query): Statement
  <S extends Selection>(query: Query, selection: S): Statement<RowOf<S>>
}

/**
 * Prepares what Drizzle builds and runs it by the driver itself: Drizzle would look up for each value of each row how to read
 * it, which takes as long as SQLite does.
 */
export function createPrepare(client: Client): Prepare {
  function prepare(query: Query, selection: Selection = {}): Statement<Readonly<Record<string, unknown>>> {
    const { sql, params } = query.toSQL()
    const bindValues = createBindValues(params)
    const statement: SqliteStatement<unknown[], Raw> = client.prepare(sql)
    const bind = (values: Values) => bindValues(values).map(toDriverValue)
    if (!statement.reader) {
      return {
        run(values) {
          statement.run(bind(values))
          return []
        },
      }
    }
    const read = createReadRow(selection)
    statement.raw()
    return { run: values => statement.all(bind(values)).map(read) }
  }
  return prepare as Prepare
}

function toDriverValue(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  return value instanceof Date ? value.getTime() : value
}

// SQLite knows neither times nor booleans.
const decoders: Readonly<Record<string, (value: never) => unknown>> = {
  date: (value: number | null) => (value === null ? null : new Date(value)),
  boolean: (value: number | null) => (value === null ? null : value !== 0),
}

/** Makes a row of the values selected, in the order of the selection. */
function createReadRow(selection: Selection): (raw: Raw) => Readonly<Record<string, unknown>> {
  const fields = Object.entries<StoreColumn>(selection).map(([name, column]) => ({
    name,
    decode: decoders[column.dataType] ?? null,
  }))
  return raw => {
    const row: Record<string, unknown> = {}
    for (const [index, { name, decode }] of fields.entries()) {
      const value = raw[index]
      row[name] = decode === null ? value : decode(value as never)
    }
    return row
  }
}
