import type { Database } from 'better-sqlite3'
import type { ChangeMark } from './change-mark.ts'
import { createCommitTogether, type Write } from './commit-together.ts'

/** The one place where writes are grouped into transactions of the SQLite file. */
export interface Transactions {
  /**
   * Runs the synchronous `work` with the write lock, in a transaction it may share. Resolves with its result once that is on disk;
   * undone, and it alone, when `work` throws or `keep` says that its result leaves nothing to keep.
   */
  write<T>(work: () => T, keep?: (result: T) => boolean): Promise<T>
  /** Writes at once what waits, for a store that closes. */
  flush(): void
}

/**
 * What waits to reach the disk costs many times what the statements do, so writes that come in one turn of the event loop share
 * a commit. Nothing else runs on the connection between its begin and its end.
 */
export function createTransactions(client: Database, changeMark: ChangeMark): Transactions {
  const commitTogether = createCommitTogether(client, changeMark)
  let waiting: Write[] = []
  let isDue = false

  function writeSome(): void {
    waiting = commitTogether(waiting)
    isDue = waiting.length > 0
    if (isDue) setImmediate(writeSome)
  }

  return {
    write(work, keep = () => true) {
      if (!isDue) setImmediate(writeSome)
      isDue = true
      return new Promise((resolve, reject) => {
        const attempt = () => {
          const result = work()
          return { isKept: keep(result), answer: () => resolve(result) }
        }
        waiting.push({ attempt, fail: reject })
      })
    },
    flush() {
      while (waiting.length > 0) waiting = commitTogether(waiting)
    },
  }
}
