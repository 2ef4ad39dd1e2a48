import { sql } from 'drizzle-orm'
import type { SqliteDb } from './connect.ts'
import { prepareRows } from './prepare-statement.ts'
import { counters } from './tables.ts'

// One row a name for the whole store, whatever the account.
const storeWide = ''

const firstValues = { membership: 1, 'API token': 1, 'created user': 2 ** 52 } as const

/** Numbers never given out twice, taken inside the caller's transaction. */
export interface Counters {
  next(name: keyof typeof firstValues): number
}

export function createCounters(db: SqliteDb): Counters {
  const query = db
    .insert(counters)
    .values({ accountCode: storeWide, name: sql.placeholder('name'), value: sql.placeholder('first') })
    .onConflictDoUpdate({
      target: [counters.accountCode, counters.name],
      set: { value: sql`${counters.value} + 1` },
    })
    .returning({ value: counters.value })
  const bump = prepareRows(db, { query, read: ([value]: [number]) => value })
  return {
    next: name => bump.only({ name, first: firstValues[name] }),
  }
}
