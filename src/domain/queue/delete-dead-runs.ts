import { setTimeout as sleep } from 'node:timers/promises'
import { atMostHourly } from '../at-most-hourly.ts'
import type { QueueStore } from './queue-store.ts'

/** Dead runs of an account. The newest ones are kept. */
const maxDead = 1_000
// Maximum number of runs deleted in one transaction: SQLite reads each page of their inputs.
const maxAtOnce = 5
const pauseMs = 10
const dayMs = 86_400_000

export type DeadRuns = Pick<QueueStore, 'deleteDeadBeyond' | 'deleteExpiredDead'>

/**
 * Returns a function that deletes dead queued runs: at each call those past the number of an account, and once an hour
 * those past their time.
 */
export function createDeletingDead(store: DeadRuns, { days }: { readonly days: number }) {
  const deleteExpired = atMostHourly(() => store.deleteExpiredDead(days * dayMs, maxAtOnce))
  return async function deleteDeadRuns(): Promise<void> {
    while ((await store.deleteDeadBeyond(maxDead, maxAtOnce)) > 0) await sleep(pauseMs)
    await deleteExpired()
  }
}
