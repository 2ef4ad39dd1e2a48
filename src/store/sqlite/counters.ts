import { sql } from 'drizzle-orm'
import type { SqliteDb } from './connect.ts'
import { prepareRows } from './prepare-statement.ts'
import { counters } from './tables.ts'

// One row a name for the whole store, whatever the account.
const storeWide = ''

const firstValues = { membership: 1, 'API token': 1, 'created user': 2 ** 52 } as const
const membershipEvent = 'membership event'

/** Numbers never given out twice, taken inside the caller's transaction. */
export interface Counters {
  /** The first of so many numbers in a row, one unless told. */
  next(name: keyof typeof firstValues, count?: number): number
  /** The first of so many numbers in a row, of the account's own. */
  nextEvents(accountCode: string, count: number): number
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
  // The counter keeps the last number given out.
  const take = ({ accountCode, name, first, count }: Take) =>
    bump.only({ accountCode, name, value: first + count - 1, count }) - count + 1
  return {
    next: (name, count = 1) => take({ accountCode: storeWide, name, first: firstValues[name], count }),
    nextEvents: (accountCode, count) => take({ accountCode, name: membershipEvent, first: 1, count }),
  }
}

interface Take {
  readonly accountCode: string
  readonly name: string
  /** Where the counting begins. */
  readonly first: number
  readonly count: number
}
