import { sql } from 'drizzle-orm'
import type { SqliteDb } from './connect.ts'
import { prepareRows } from './prepare-statement.ts'
import { counters } from './tables.ts'

const firstValues = { membership: 1, 'membership event': 1, 'API token': 1, 'created user': 2 ** 52 } as const

/** The account of numbers that are unique over the whole store. */
export const storeWide = ''

/** Numbers never given out twice in an account, taken inside the caller's transaction. */
export interface Counters {
  /** The first of `count` numbers in a row. */
  next(accountCode: string, name: keyof typeof firstValues, count?: number): number
}

export function createCounters(db: SqliteDb): Counters {
  const query = db
    .insert(counters)
    .values({
      accountCode: sql.placeholder('accountCode'),
      name: sql.placeholder('name'),
      value: sql.placeholder('value'),
    })
    .onConflictDoUpdate({
      target: [counters.accountCode, counters.name],
      set: { value: sql`${counters.value} + ${sql.placeholder('count')}` },
    })
    .returning({ value: counters.value })
  const bump = prepareRows(db, { query, read: ([value]: [number]) => value })
  return {
    // The counter keeps the last number given out.
    next: (accountCode, name, count = 1) =>
      bump.only({ accountCode, name, value: firstValues[name] + count - 1, count }) - count + 1,
  }
}
