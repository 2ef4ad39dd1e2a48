import { type Column, Placeholder, type SQL, sql } from 'drizzle-orm'
import { createEncode } from '../columns.ts'
import type { Dialect } from '../dialect.ts'
import { toColumnName } from '../tables/describe-table.ts'
import type { PrepareText, RawStatement } from './connection/create-prepare.ts'
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

  /**
   * Returns the text of a statement in which the list is this number of rows, with a parameter for each value. With 0,
   * it stays one JSON text.
   */
  writeValues(text: string, count: number): string {
    if (count === 0) return text
    const columns = this.#names.map((name, index) => `column${index + 2} as ${name}`)
    const row = this.#names.map(() => '?').join()
    const rows = Array.from({ length: count }, (_, index) => `(${index + 1},${row})`)
    const before = `(select column1 as place, ${columns.join()} from (values ${rows.join()}`
    return text.replaceAll(`${this.before}?${this.after}`, `${before}${this.after}`)
  }
}

/** Returns a function that prepares statements, which get the rows of each list as values if they are few. */
export function prepareLists(prepareText: PrepareText): PrepareText {
  return (text, params) => {
    const lists = [...new Set(params.filter(param => param instanceof ListPlaceholder))]
    const forMany = prepareText(text, params)
    if (lists.length === 0) return forMany
    // One statement for each combination of their numbers of rows.
    const write = (counts: readonly number[]) =>
      lists.reduce((written, each, index) => each.writeValues(written, counts[index] ?? 0), text)
    const forFew = new Map<string, RawStatement>()
    return {
      columns: forMany.columns,
      run(values, before) {
        const counts = lists.map(({ name }) => (values[name] as ListRows).valueRows)
        const key = counts.join()
        const statement = forFew.get(key) ?? prepareText(write(counts), params)
        forFew.set(key, statement)
        return statement.run(values, before)
      },
    }
  }
}

/** Encodes a list of ids as the single parameter of `isListed`, so that the statement is the same for any length. */
export function encodeIds(ids: readonly number[]): string {
  return JSON.stringify(ids)
}

export function isListed(column: Column, ids: Placeholder): SQL {
  return sql`${column} in (select value from json_each(${ids}))`
}
