import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Store } from '../../domain/store.ts'
import type { Database } from '../database.ts'
import { placeholders } from '../dialect.ts'
import { numberOf } from '../tables/tables-of.ts'
import { all, type Work } from '../work.ts'
import { describeLogs, type EventLog } from './event-log.ts'
import { rowBytes, type StoredBytesCounter } from './stored-bytes.ts'

// SQLite reads each page of a row that it looks through or deletes, which blocks the event loop. An event has up to 2
// MiB.
const maxRows = sql.raw('20')
const maxDeletedBytes = sql.raw(String(4 * 2 ** 20))

/**
 * Deletes the oldest events of one account after the other. The newest event of an account always stays, because
 * cursors are compared with it.
 */
export function createDeleteExpiredEvents(
  database: Database,
  stored: StoredBytesCounter,
): Store['deleteExpiredEvents'] {
  const { read, write, tables } = database
  const logs = Object.values(describeLogs(tables)).map(log => prepareStatements(database, log))

  return async (ageMs, signal) => {
    const startedAt = performance.now()
    // Events that grow old meanwhile are left to the next time. On a busy store, this would find no end.
    const age = () => ({ ageMs: -(ageMs + performance.now() - startedAt) })
    for (const { findAccounts, deleteOldest } of logs) {
      for (const { accountCode } of await read(findAccounts, age())) {
        const deleteSome = function* (): Work<number> {
          const freed = yield* all(deleteOldest, { accountCode, ...age() })
          yield* stored.lower(freed)
          return freed.length
        }
        const hasChanged = (count: number) => count > 0
        while (!signal.aborted && (await write(accountCode, deleteSome, { hasChanged })) > 0) await nextTurn()
      }
    }
  }
}

function prepareStatements({ prepare, nowPlus, tables }: Database, log: EventLog) {
  const { accountCode, ageMs } = placeholders('accountCode', 'ageMs')
  const { table, sequence, bytes } = log
  const id = sql.identifier(sequence.name)
  const counter = sql.raw(`'${log.counter}'`)
  const isOld = sql`created_at < ${nowPlus(ageMs)}`
  const freed = sql`${bytes} + ${rowBytes}`
  const owner = { accountCode: tables.counters.accountCode }
  return {
    /** The accounts whose first event is old, along the keys. */
    findAccounts: prepare(
      sql`
        select account_code from counters where name = ${counter} and exists (
          select 1 from ${table} where ${table}.account_code = counters.account_code and ${isOld}
            and ${id} < counters.value and ${id} = (
              select min(first.${id}) from ${table} as first where first.account_code = counters.account_code
            )
        ) order by account_code`,
      owner,
    ),
    /** Deletes up to `maxRows` old events and up to `maxDeletedBytes`, but at least one. */
    deleteOldest: prepare(
      sql`
        delete from ${table} where account_code = ${accountCode} and ${id} in (
          select ${id} from (
            select ${id}, sum(${bytes}) over (order by ${id}) - ${bytes} as bytes_before from (
              select * from ${table} where account_code = ${accountCode} order by ${id} limit ${maxRows}
            ) as oldest
            where ${isOld} and ${id} < (
              select value from counters where account_code = ${accountCode} and name = ${counter}
            )
          ) as old where bytes_before < ${maxDeletedBytes}
        ) returning account_code, ${freed}`,
      { ...owner, bytes: numberOf(freed) },
    ),
  }
}
