import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm'

/** A list of ids as the one parameter that `isListed` reads, so that a statement is the same whatever the length. */
export function encodeIds(ids: readonly (number | null)[]): string {
  return `{${ids.map(id => id ?? 'null').join()}}`
}

export function isListed(column: Column, ids: Placeholder): SQL {
  return sql`${column} = any(${ids}::bigint[])`
}

/** A list of texts as the one parameter that `unnest` reads. */
export function encodeTexts(texts: readonly (string | null)[]): string {
  return `{${texts.map(text => (text === null ? 'null' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`)).join()}}`
}
