import { sql } from 'drizzle-orm'
import type { Waiting } from '../../../domain/queue/waiting-limits.ts'
import type { Dialect } from '../../dialect.ts'
import { all, first, type Work } from '../../work.ts'

export type QueueAccounts = ReturnType<typeof createQueueAccounts>

/** The row of an account, which every change of its queue locks first. */
export function createQueueAccounts({ prepare, typed, nowPlus, forUpdate, tables }: Dialect) {
  const accountCode = sql.placeholder('accountCode')
  const waiting = typed(sql.placeholder('waiting'), 'integer')
  const at = nowPlus(sql.placeholder('afterMs'))
  const isTheAccount = sql`account_code = ${accountCode}`
  const lock = prepare(
    sql`select waiting, waiting_bytes from queue_accounts where ${isTheAccount} ${forUpdate}`,
    { waiting: tables.queueAccounts.waiting, waitingBytes: tables.queueAccounts.waitingBytes },
  )
  const count = prepare(sql`update queue_accounts set waiting = waiting + ${waiting} where ${isTheAccount}`)
  const wake = prepare(sql`
    update queue_accounts set waiting = waiting + ${waiting},
      due_at = case when due_at < ${at} then due_at else ${at} end
    where ${isTheAccount}`)
  return {
    /** Returns what waits. An account that never queued a run has no row to lock. */
    *lock(accountCode: string): Work<Waiting> {
      return (yield* first(lock, { accountCode })) ?? { waiting: 0, waitingBytes: 0 }
    },
    /** Counts `waiting` more runs. */
    count: (accountCode: string, waiting: number) => all(count, { accountCode, waiting }),
    /** Counts `waiting` more runs, one of which can be claimed after this time. */
    wake: (accountCode: string, waiting: number, afterMs: number) =>
      all(wake, { accountCode, waiting, afterMs }),
  }
}
