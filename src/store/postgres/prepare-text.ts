import { is, SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { createBindValues } from '../bind-values.ts'
import type { Query, Values } from '../dialect.ts'
import type { Parameter } from './connection/client.ts'

const writer = new PgDialect()

/** The text of a query, and what binds its values. */
export function prepareText(query: Query) {
  const { sql: text, params } = is(query, SQL) ? writer.sqlToQuery(query) : query.toSQL()
  const bindValues = createBindValues(params)
  return { text, bind: (values: Values) => bindValues(values) as Parameter[] }
}
