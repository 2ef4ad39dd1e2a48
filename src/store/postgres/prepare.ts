import { is, Placeholder, type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { createBindValues } from '../bind-values.ts'
import type { Dialect, Statement, Values } from '../dialect.ts'
import type { RowOf, Selection, StoreColumn } from '../tables/tables-of.ts'
import type { Client, Parameter } from './connection/client.ts'

const writer = new PgDialect()

/** The driver decodes numbers, booleans, times and bytes. */
export const prepare = ((query: SQL, selection: Selection = {}): Statement<unknown> => {
  const ask = prepareText(query)
  const names = Object.keys(selection)
  const read = (raw: readonly unknown[]) => {
    const row: Record<string, unknown> = {}
    for (const [index, name] of names.entries()) row[name] = raw[index]
    return row
  }
  return {
    async run(values, client) {
      return (await ask(values, client)).map(read)
    },
  }
}) as Dialect['prepare']

/**
 * The rows come as one row of JSON arrays, one for each column. The driver takes a microsecond for each value, so that
 * 1,000 rows of five values would take five times as long.
 */
export function prepareMany<S extends Selection>(query: SQL, selection: S): Statement<RowOf<S>> {
  const fields = Object.entries<StoreColumn>(selection).map(([name, { dataType }]) => ({ name, dataType }))
  const names = fields.map(({ name }) => sql.identifier(name))
  const arrays = names.map(name => sql`json_agg(found.${name})`)
  const ask = prepareText(
    sql`select ${sql.join(arrays, sql`, `)} from (${query}) as found (${sql.join(names, sql`, `)})`,
  )
  return {
    async run(values, client) {
      const [columns = []] = (await ask(values, client)) as (readonly unknown[] | null)[][]
      return (columns[0] ?? []).map((_, index) => {
        const row: Record<string, unknown> = {}
        for (const [place, { name, dataType }] of fields.entries()) {
          const value = columns[place]?.[index] ?? null
          // JSON has times as text, and no bytes.
          row[name] = dataType === 'date' && value !== null ? new Date(String(value)) : value
        }
        return row as RowOf<S>
      })
    },
  }
}

// A placeholder that comes several times is one parameter.
function prepareText(query: SQL) {
  const { sql, params } = writer.sqlToQuery(query)
  const identities = params.map(param => (is(param, Placeholder) ? param.name : param))
  const distinct = [...new Set(identities)]
  const text = sql
    .trim()
    .replace(/\$(\d+)/g, (_, number) => `$${distinct.indexOf(identities[Number(number) - 1]) + 1}`)
  const bindValues = createBindValues(distinct.map(identity => params[identities.indexOf(identity)]))
  return (values: Values, client: Client | undefined) => {
    if (client === undefined) throw new Error('A statement came outside a call of the store.')
    return client.query(text, bindValues(values) as Parameter[])
  }
}
