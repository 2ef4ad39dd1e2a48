import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { bindingOf, createBindValues } from '../bind-values.ts'
import { createDecode } from '../decode-row.ts'
import { type Dialect, onFirstUse, type Planning, type Statement, type Values } from '../dialect.ts'
import type { RowOf, Selection, StoreColumn } from '../tables/tables-of.ts'
import type { Client, Parameter } from './connection/client.ts'

const writer = new PgDialect()

/** Prepares a statement. The driver decodes numbers, booleans, times and bytes. */
export const prepare = ((query: SQL, selection: Selection = {}): Statement<unknown> => {
  const ask = prepareText(query)
  const names = Object.keys(selection)
  const decodeRow = createDecode(selection)
  const read = (raw: readonly unknown[]) => {
    const row: Record<string, unknown> = {}
    for (const [index, name] of names.entries()) row[name] = raw[index]
    decodeRow?.(row)
    return row
  }
  return {
    async run(values, client) {
      return (await ask(values, client)).map(read)
    },
  }
}) as Dialect['prepare']

/**
 * Prepares a statement that returns all rows as one row of JSON arrays, one array for each column. The driver takes a
 * microsecond for each value, so 1,000 rows of five values would otherwise take five times as long.
 */
export function prepareMany<S extends Selection>(
  query: SQL,
  selection: S,
  planning: Planning = 'once',
): Statement<RowOf<S>> {
  const fields = Object.entries<StoreColumn>(selection).map(([name, { dataType }]) => ({ name, dataType }))
  const decodeRow = createDecode(selection)
  const names = fields.map(({ name }) => sql.identifier(name))
  const arrays = names.map(name => sql`json_agg(found.${name})`)
  const ask = prepareText(
    sql`select ${sql.join(arrays, sql`, `)} from (${query}) as found (${sql.join(names, sql`, `)})`,
    planning,
  )
  return {
    async run(values, client) {
      const [columns = []] = (await ask(values, client)) as (readonly unknown[] | null)[][]
      return (columns[0] ?? []).map((_, index) => {
        const row: Record<string, unknown> = {}
        for (const [place, { name, dataType }] of fields.entries()) {
          const value = columns[place]?.[index] ?? null
          // JSON has times as text. Bytes cannot be selected in this way.
          row[name] = dataType === 'date' && value !== null ? new Date(String(value)) : value
        }
        decodeRow?.(row)
        return row as RowOf<S>
      })
    },
  }
}

// Builds the text. A placeholder that occurs several times becomes one parameter, if it is encoded the same way each
// time.
function writeText(query: SQL) {
  const { sql, params } = writer.sqlToQuery(query)
  const distinct = params.filter((param, index) => params.findIndex(other => isSame(other, param)) === index)
  const placeOf = (param: unknown) => distinct.findIndex(other => isSame(other, param)) + 1
  const text = sql.trim().replace(/\$(\d+)/g, (_, number) => `$${placeOf(params[Number(number) - 1])}`)
  return { text, bindValues: createBindValues(distinct) }
}

function prepareText(query: SQL, planning: Planning = 'once') {
  const findText = onFirstUse(() => writeText(query))
  return (values: Values, client: Client | undefined) => {
    if (client === undefined) throw new Error('A statement came outside a call of the store.')
    const { text, bindValues } = findText()
    return client.query(text, bindValues(values) as Parameter[], planning === 'once')
  }
}

function isSame(one: unknown, other: unknown): boolean {
  const [first, second] = [bindingOf(one), bindingOf(other)]
  if (first === null || second === null) return one === other
  return first.name === second.name && first.encode === second.encode
}
