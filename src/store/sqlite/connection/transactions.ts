import type { Database } from 'better-sqlite3'
import { createCommitTogether, type Write } from './commit-together.ts'

/** The one place where writes are grouped into transactions of the SQLite file. */
export interface Transactions {
  /**
   * Runs the synchronous `work` with the write lock, in a transaction it may share. Resolves with its result once that is on disk;
   * undone, and it alone, when `work` throws, after which it may run again. What decides against a change does so before it writes,
   * and `wrote` says so of its result.
   */
  write<T>(work: () => T, wrote?: (result: T) => boolean): Promise<T>
  /** Writes at once what waits, for a store that closes. */
  flush(): void
}

// A write that came first waits no longer for others.
const mostWaitMs = 2

/**
 * What waits for the disk costs many times what the statements do, so writes that come together share a commit: those of one turn
 * of the event loop and of the next ones, until a turn brings no more. Nothing else runs on the connection meanwhile.
 */
export function createTransactions(client: Database): Transactions {
  const commitTogether = createCommitTogether(client)
  let waiting: Write[] = []
  let countBefore = 0
  let mostWaitEndsAt = 0

  function endTurn(): void {
    if (waiting.length === 0) return
    const isGrowing = waiting.length > countBefore
    countBefore = waiting.length
    if (isGrowing && performance.now() < mostWaitEndsAt) return void setImmediate(endTurn)
    countBefore = 0
    waiting = commitTogether(waiting)
    if (waiting.length > 0) setImmediate(endTurn)
  }

  return {
    write(work, wrote = () => true) {
      if (waiting.length === 0) {
        mostWaitEndsAt = performance.now() + mostWaitMs
        setImmediate(endTurn)
      }
      return new Promise((resolve, reject) => {
        const attempt = () => {
          const result = work()
          return { hasWritten: wrote(result), answer: () => resolve(result) }
        }
        waiting.push({ attempt, fail: reject })
      })
    },
    flush() {
      while (waiting.length > 0) waiting = commitTogether(waiting)
    },
  }
}
