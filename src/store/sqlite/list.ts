import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { createEncode } from '../columns.ts'
import type { Dialect } from '../dialect.ts'
import { toColumnName } from '../tables/describe-table.ts'

const prefix = 'list '

/**
 * Passes a list to SQLite as one JSON text. `jsonb_each` keeps each row as SQLite has parsed it. `json_each` would
 * write it as text again, which each column would parse.
 */
export const list: Dialect['list'] = (name, columns) => {
  const values = Object.keys(columns).map(key => `value ->> '${key}' as ${toColumnName(key)}`)
  const placeholder = sql.placeholder(`${prefix}${name}`)
  const encodeRow = createEncode(columns)
  const selected = sql.raw(values.join())
  const rows = sql`(select key + 1 as place, ${selected} from jsonb_each(${placeholder})) as ${sql.raw(name)}`
  const [first = ''] = Object.keys(columns).map(toColumnName)
  return {
    rows,
    includes: column => sql`${column} in (select ${sql.raw(first)} from ${rows})`,
    encode: rows => ({ [placeholder.name]: JSON.stringify(rows.map(encodeRow)) }),
  }
}

export function isList({ name }: Placeholder): boolean {
  return name.startsWith(prefix)
}

/** Encodes a list of ids as the single parameter of `isListed`, so that the statement is the same for any length. */
export function encodeIds(ids: readonly number[]): string {
  return JSON.stringify(ids)
}

export function isListed(column: Column, ids: Placeholder): SQL {
  return sql`${column} in (select value from json_each(${ids}))`
}
