import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm'

/** A list of ids as the one parameter that `isListed` reads, so that a statement is the same whatever the length. */
export function encodeIds(ids: readonly number[]): string {
  return JSON.stringify(ids)
}

export function isListed(column: Column, ids: Placeholder): SQL {
  return sql`${column} in (select value from json_each(${ids}))`
}
