import { sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { counters } from './tables.ts'

// One row a name for the whole store, whatever the account.
const storeWide = ''

const firstValues = { membership: 1, 'API token': 1, 'created user': 2 ** 52 } as const

/** Numbers never given out twice, taken inside the caller's transaction. */
export interface Counters {
  next(name: keyof typeof firstValues): number
}

export function createCounters(db: BetterSQLite3Database): Counters {
  const bump = db
    .insert(counters)
    .values({ accountCode: storeWide, name: sql.placeholder('name'), value: sql.placeholder('first') })
    .onConflictDoUpdate({
      target: [counters.accountCode, counters.name],
      set: { value: sql`${counters.value} + 1` },
    })
    .returning({ value: counters.value })
    .prepare()
  return {
    next: name => bump.get({ name, first: firstValues[name] }).value,
  }
}
