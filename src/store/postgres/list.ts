import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { createEncode } from '../columns.ts'
import type { Dialect } from '../dialect.ts'
import { toColumnName } from '../tables/describe-table.ts'

/** Passes a list to PostgreSQL with one array for each column. */
export const list: Dialect['list'] = (name, columns) => {
  const encodeRow = createEncode(columns)
  const entries = Object.entries(columns).map(([key, column]) => {
    const type = typeof column === 'string' ? column : column.getSQLType()
    return [key, type === 'text' ? 'text' : 'integer'] as const
  })
  const arrays = entries.map(([key, type]) => {
    const array = sql.placeholder(`${name}.${key}`)
    return type === 'text' ? sql`${array}::text[]` : sql`${array}::bigint[]`
  })
  const names = sql.raw(`${name} (${entries.map(([key]) => toColumnName(key))}, place)`)
  return {
    includes: column => sql`${column} = any(${arrays[0]})`,
    rows: sql`unnest(${sql.join(arrays, sql`, `)}) with ordinality as ${names}`,
    encode(given) {
      const rows = given.map(encodeRow)
      const columns = entries.map(([key, type]) => {
        const values = rows.map(row => row[key])
        return [
          `${name}.${key}`,
          type === 'text' ? encodeTexts(values as string[]) : encodeIds(values as number[]),
        ]
      })
      return Object.fromEntries(columns)
    },
  }
}

/** Encodes a list of ids as the single parameter of `isListed`, so that the statement is the same for any length. */
export function encodeIds(ids: readonly (number | null)[]): string {
  return `{${ids.map(id => id ?? 'null').join()}}`
}

export function isListed(column: Column, ids: Placeholder): SQL {
  return sql`${column} = any(${ids}::bigint[])`
}

/** Encodes a list of texts as the single parameter that `unnest` reads. */
function encodeTexts(texts: readonly (string | null)[]): string {
  return `{${texts.map(text => (text === null ? 'null' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`)).join()}}`
}
