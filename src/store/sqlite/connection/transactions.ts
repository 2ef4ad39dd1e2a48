import type { Database } from 'better-sqlite3'
import { createCommitTogether, type Write } from './commit-together.ts'

/** Groups writes into transactions of the SQLite file. All writes go through here. */
export interface Transactions {
  /**
   * Runs the synchronous `work` with the write lock, in a transaction that it may share with other work. Resolves with
   * its result once that is on disk. If `work` throws, only its own changes are undone, and it may run a second time.
   * Work that changes nothing must decide so before its first write; `wrote` returns false for its result.
   */
  write<T>(work: () => T, wrote?: (result: T) => boolean): Promise<T>
  /** Call it when work that waits gets more to do. Then its commit waits for the next turn, as for other work. */
  noteMore(): void
  /** Commits the waiting writes at once, because the store closes. */
  flush(): void
}

interface TransactionParts {
  readonly refuseIfLost: () => void
  readonly onEnd: () => void
}

// Maximum time for which the first write waits for others.
const maxWaitMs = 2

/**
 * A commit waits for the disk many times longer than its statements take, so writes that come together share one
 * commit: those of a turn of the event loop and of the next turns, until a turn brings no more. Nothing else runs on
 * the connection meanwhile. `refuseIfLost` throws if the file is lost; then no work starts. `onEnd` is called after
 * each transaction, before anything that waits for it runs.
 */
export function createTransactions(
  client: Database,
  { refuseIfLost, onEnd }: TransactionParts,
): Transactions {
  const commitTogether = createCommitTogether(client)
  let waiting: Write[] = []
  // Counts what has come for the next commit: until now, and until the last turn.
  let come = 0
  let comeBefore = 0
  let waitEndsAt = 0

  function commitSome(): void {
    try {
      waiting = commitTogether(waiting)
    } finally {
      onEnd()
    }
  }

  function endTurn(): void {
    if (waiting.length === 0) return
    const isGrowing = come > comeBefore
    comeBefore = come
    if (isGrowing && performance.now() < waitEndsAt) return void setImmediate(endTurn)
    come = 0
    comeBefore = 0
    commitSome()
    if (waiting.length > 0) setImmediate(endTurn)
  }

  return {
    write(work, wrote = () => true) {
      return new Promise((resolve, reject) => {
        refuseIfLost()
        if (waiting.length === 0) {
          waitEndsAt = performance.now() + maxWaitMs
          setImmediate(endTurn)
        }
        const attempt = () => {
          const result = work()
          return { hasWritten: wrote(result), answer: () => resolve(result) }
        }
        waiting.push({ attempt, fail: reject })
        come += 1
      })
    },
    noteMore() {
      come += 1
    },
    flush() {
      while (waiting.length > 0) commitSome()
    },
  }
}
