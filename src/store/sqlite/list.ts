import { type Column, Placeholder, type SQL, sql } from 'drizzle-orm'
import { createEncode } from '../columns.ts'
import type { Dialect, Values } from '../dialect.ts'
import { toColumnName } from '../tables/describe-table.ts'
import type { PrepareText } from './connection/create-prepare.ts'
import { ListRows } from './connection/list-rows.ts'

/**
 * Passes a list to SQLite as one JSON text. `jsonb_each` keeps each row as SQLite has parsed it. `json_each` would
 * write it as text again, which each column would parse. `prepareLists` passes few rows as values instead.
 */
export const list: Dialect['list'] = (name, columns) => {
  const keys = Object.keys(columns)
  const placeholder = new ListPlaceholder(name, keys)
  const encodeRow = createEncode(columns)
  const [first = ''] = keys.map(toColumnName)
  const rows = sql`${sql.raw(placeholder.before)}${placeholder}${sql.raw(placeholder.after)}`
  return {
    rows,
    includes: column => sql`${column} in (select ${sql.raw(first)} from ${rows})`,
    encode: given => ({ [placeholder.name]: new ListRows(keys, given.map(encodeRow)) }),
  }
}

/** The parameter of a list, which stands between the texts `before` and `after`. */
export class ListPlaceholder extends Placeholder {
  readonly before: string
  readonly after: string
  readonly #names: readonly string[]

  constructor(listName: string, keys: readonly string[]) {
    super(`list ${listName}`)
    const values = keys.map(key => `value ->> '${key}' as ${toColumnName(key)}`)
    this.before = `(select key + 1 as place, ${values.join()} from jsonb_each(`
    this.after = `)) as ${listName}`
    this.#names = keys.map(toColumnName)
  }

  /** Returns the text of a statement in which the list is this number of rows, with a parameter for each value. */
  writeValues(text: string, count: number): string {
    const columns = this.#names.map((name, index) => `column${index + 2} as ${name}`)
    const row = this.#names.map(() => '?').join()
    const rows = Array.from({ length: count }, (_, index) => `(${index + 1},${row})`)
    const before = `(select column1 as place, ${columns.join()} from (values ${rows.join()}`
    return text.replaceAll(`${this.before}?${this.after}`, `${before}${this.after}`)
  }
}

/** Returns a function that prepares statements, which get the rows of their only list as values if they are few. */
export function prepareLists(prepareText: PrepareText): PrepareText {
  return (text, params) => {
    const forMany = prepareText(text, params)
    const [only, ...others] = new Set(params.filter(param => param instanceof ListPlaceholder))
    if (only === undefined) return forMany
    const { columns } = forMany
    // Values of several lists would need a statement for each combination of their numbers of rows: for the conditions
    // of a search, millions.
    if (others.length > 0) return { columns, run: (values, before) => forMany.run(toJson(values), before) }
    const statements = new Map([[0, forMany]])
    return {
      columns,
      run(values, before) {
        const { valueRows } = values[only.name] as ListRows
        const statement = statements.get(valueRows) ?? prepareText(only.writeValues(text, valueRows), params)
        statements.set(valueRows, statement)
        return statement.run(values, before)
      },
    }
  }
}

function toJson(values: Values): Values {
  const entries = Object.entries(values)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof ListRows ? value.json : value]),
  )
}

/** Encodes a list of ids as the single parameter of `isListed`, so that the statement is the same for any length. */
export function encodeIds(ids: readonly number[]): string {
  return JSON.stringify(ids)
}

export function isListed(column: Column, ids: Placeholder): SQL {
  return sql`${column} in (select value from json_each(${ids}))`
}
