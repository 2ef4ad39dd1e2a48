import { is, Placeholder, type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { createBindValues } from '../bind-values.ts'
import type { Values } from '../dialect.ts'
import type { Parameter } from './connection/client.ts'

const writer = new PgDialect()

/** The text of a query, and what binds its values. A placeholder that comes several times is one parameter. */
export function prepareText(query: SQL) {
  const { sql, params } = writer.sqlToQuery(query)
  const identities = params.map(param => (is(param, Placeholder) ? param.name : param))
  const distinct = [...new Set(identities)]
  const text = sql
    .trim()
    .replace(/\$(\d+)/g, (_, number) => `$${distinct.indexOf(identities[Number(number) - 1]) + 1}`)
  const bindValues = createBindValues(distinct.map(identity => params[identities.indexOf(identity)]))
  return { text, bind: (values: Values) => bindValues(values) as Parameter[] }
}
