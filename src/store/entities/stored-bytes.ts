import { type SQL, sql } from 'drizzle-orm'
import { isStoreFull, type StoreLimits, storedRowBytes, storeFull } from '../../domain/store-limits.ts'
import type { Dialect } from '../dialect.ts'
import { numberOf } from '../tables/tables-of.ts'
import { all, only, type Refusal, refuse, type Work } from '../work.ts'
import { raiseCounter } from './counters.ts'

/** Bytes that deleted rows no longer take. */
export interface FreedBytes {
  readonly accountCode: string
  readonly bytes: number
}

/** The bytes of a number of rows, as SQL. */
export const rowBytes = sql.raw(String(storedRowBytes))

/** Events of memberships all have the same size, so their own counter counts their bytes. */
export const membershipBytes = sql`coalesce((
  select ${rowBytes} * value from counters
  where account_code = ${sql.placeholder('accountCode')} and name = 'membership event'
), 0)`

/** The bytes that an account stores, as SQL. */
export const storedBytes = sql`coalesce((
  select value from counters where account_code = ${sql.placeholder('accountCode')} and name = 'stored byte'
), 0) + ${membershipBytes}`

export type StoredBytesCounter = ReturnType<typeof createStoredBytes>

/**
 * Counts the bytes of cases, events, functions, kept and queued runs of each account: their long texts, and
 * `storedRowBytes` for each row. The counter is locked until the commit, after the queue of the account and before the
 * counters of events and runs.
 */
export function createStoredBytes({ prepare, typed, list }: Dialect, { accountBytes }: StoreLimits) {
  const bytes = typed(sql.placeholder('bytes'), 'integer')
  const total = { bytes: numberOf(sql`value`) }
  const freed = list('freed', { accountCode: 'text', bytes: 'integer' })
  const find = prepare(sql`select ${storedBytes}`, total)
  const add = prepare(sql`${raiseCounter('stored byte', bytes)} returning value + ${membershipBytes}`, total)
  const lower = prepare(sql`
    insert into counters (account_code, name, value)
    select account_code, 'stored byte', - sum(bytes) from ${freed.rows} where true group by account_code
    on conflict (account_code, name) do update set value = counters.value + excluded.value`)

  /** Returns `OVERLOADED` if `more` bytes are too many for an account that has `used`; else null. */
  function refuseFull(used: number, more: number): Refusal | null {
    const state = { used, more, max: accountBytes }
    return isStoreFull(state) ? refuse(storeFull(state)) : null
  }

  return {
    refuseFull,
    /**
     * The condition that the account has room for `more` bytes, for a statement that adds them. It counts what was
     * committed when the statement began, so some that run at once may together pass the maximum.
     */
    hasRoom: (more: SQL) => sql`${storedBytes} + ${more} <= ${sql.raw(String(accountBytes))}`,
    /** Looks whether the account has room. Nobody else adds bytes before the commit on SQLite alone. */
    *refuse(accountCode: string, more: number): Work<Refusal | null> {
      return refuseFull((yield* only(find, { accountCode })).bytes, more)
    },
    /** Counts bytes, and returns a refusal if they were too many. On SQLite, call `refuse` before the first write. */
    *add(accountCode: string, more: number): Work<Refusal | null> {
      const { bytes } = yield* only(add, { accountCode, bytes: more })
      return refuseFull(bytes - more, more)
    },
    /** Returns true if an account has no room for the texts of a run. */
    *isFull(accountCode: string): Work<boolean> {
      const { bytes } = yield* only(find, { accountCode })
      return bytes >= accountBytes
    },
    /** Subtracts the bytes of deleted rows, which may be of several accounts. */
    *lower(rows: readonly FreedBytes[]): Work<void> {
      if (rows.length > 0) yield* all(lower, freed.encode(rows))
    },
  }
}
