import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { createCommitTogether, Locked, type Write } from './commit-together.ts'
import { maxLockMs } from './describe-failure.ts'

/** Groups writes into transactions of the SQLite file. All writes go through here. */
export interface Transactions {
  /**
   * Runs the synchronous `work` with the write lock, in a transaction that it may share with other work. Resolves with
   * its result once that is on disk. If `work` throws, only its own changes are undone, and it may run several times.
   * Work that changes nothing must decide so before its first write; `wrote` returns false for its result.
   */
  write<T>(work: () => T, wrote?: (result: T) => boolean): Promise<T>
  /** Call it when a waiting write gets another change. Then the commit waits for one more turn. */
  noteChange(): void
  /** Commits the waiting writes, and those that follow from their answers, because the store closes. */
  flush(): Promise<void>
}

// Maximum time for which the first write waits for others. Requests that arrive together become writes one by one.
const maxWaitMs = 4
// How often writes try to get the lock while another program holds it. All wait as long as the first one.
const tryLockEveryMs = 20
// Maximum number of writes that wait for it. Each one may have a body in memory.
const maxLockedWrites = 1_000

/**
 * A commit waits for the disk many times longer than its statements take, so writes that come together share one
 * commit: those of a turn of the event loop and of the next turns, until a turn brings no more. Nothing else runs on
 * the connection meanwhile. `refuseIfLost` throws if the file is lost; then no work starts.
 */
export function createTransactions(client: Database, refuseIfLost: () => void): Transactions {
  const commitTogether = createCommitTogether(client)
  let waiting: Write[] = []
  // The number of changes that have arrived for the next commit: now, and at the end of the last turn.
  let arrived = 0
  let arrivedBefore = 0
  let waitEndsAt = 0
  // Since when another program holds the write lock, and the error of the first attempt.
  let locked: { readonly since: number; readonly failure: Error } | null = null

  function endTurn(): void {
    if (waiting.length === 0) return
    const isGrowing = arrived > arrivedBefore
    arrivedBefore = arrived
    if (isGrowing && performance.now() < waitEndsAt) return void setImmediate(endTurn)
    arrived = 0
    arrivedBefore = 0
    commit()
  }

  // Commits the first writes. While they wait for another program, reads go on, and the file may be lost.
  function commit(): void {
    if (waiting.length === 0) return
    try {
      refuseIfLost()
    } catch (error) {
      return failAll(error)
    }
    const left = commitTogether(waiting)
    if (left instanceof Locked) return waitForLock(left)
    locked = null
    waiting = left
    if (waiting.length > 0) setImmediate(endTurn)
  }

  function waitForLock({ failure }: Locked): void {
    locked ??= { since: performance.now(), failure }
    if (performance.now() - locked.since < maxLockMs) return void setTimeout(commit, tryLockEveryMs)
    failAll(failure)
  }

  function failAll(failure: unknown): void {
    locked = null
    for (const write of waiting.splice(0)) write.fail(failure)
  }

  return {
    write(work, wrote = () => true) {
      return new Promise((resolve, reject) => {
        refuseIfLost()
        if (locked !== null && waiting.length >= maxLockedWrites) throw locked.failure
        if (waiting.length === 0) {
          waitEndsAt = performance.now() + maxWaitMs
          setImmediate(endTurn)
        }
        const attempt = () => {
          const result = work()
          return { hasWritten: wrote(result), answer: () => resolve(result) }
        }
        waiting.push({ attempt, fail: reject })
        arrived += 1
      })
    },
    noteChange() {
      arrived += 1
    },
    async flush() {
      while (waiting.length > 0) {
        if (locked === null) commit()
        else await sleep(tryLockEveryMs)
        await nextTurn()
      }
    },
  }
}
