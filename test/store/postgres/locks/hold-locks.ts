import { onTestFinished } from 'vitest'
import { until } from '../../../server/processes/until.ts'
import { openClient } from '../../databases/ask-postgres.ts'

export interface HeldLocks {
  /** Resolves once another session waits for one of the locks. */
  untilAwaited(): Promise<void>
  commit(): Promise<unknown>
}

const waiting = `
  select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

/** Runs these statements in a transaction of its own session, which stays open until `commit`. */
export async function holdLocks(url: string, statements: string): Promise<HeldLocks> {
  const [holder, observer] = [await openClient(url), await openClient(url)]
  onTestFinished(async () => {
    await holder.end()
    await observer.end()
  })
  await holder.query(`begin; ${statements}`)
  return {
    untilAwaited: () => until(async () => (await observer.query(waiting)).rowCount !== 0),
    commit: () => holder.query('commit'),
  }
}
