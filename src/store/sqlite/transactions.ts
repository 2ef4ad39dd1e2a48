import type { Database } from 'better-sqlite3'
import type { ChangeMark } from './change-mark.ts'

/** The one place where writes are grouped into transactions of the SQLite file. */
export interface Transactions {
  /**
   * Runs the synchronous `work` alone in a transaction that holds the write lock from its start. Resolves with its
   * result once that is on disk; undone when `work` throws or `keep` says that its result leaves nothing to keep.
   */
  write<T>(work: () => T, keep?: (result: T) => boolean): Promise<T>
}

export function createTransactions(client: Database, changeMark: ChangeMark): Transactions {
  const begin = client.prepare('BEGIN IMMEDIATE')
  const commit = client.prepare('COMMIT')
  const rollBack = client.prepare('ROLLBACK')
  return {
    async write(work, keep = () => true) {
      begin.run()
      try {
        const result = work()
        const end = keep(result) ? commit : rollBack
        end.run()
        changeMark.advance()
        return result
      } catch (error) {
        // Some failures (a full disk) make SQLite roll back by itself.
        if (client.inTransaction) rollBack.run()
        throw error
      }
    },
  }
}
