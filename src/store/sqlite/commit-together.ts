import type { Database } from 'better-sqlite3'
import type { ChangeMark } from './change-mark.ts'
import { describeFailure } from './describe-failure.ts'

// So that requests which only read are not held up, nor another process that waits for the lock.
const mostWrites = 256
const mostMs = 8

/** A change that waits to be written. */
export interface Write {
  attempt(): Attempt
  fail(error: unknown): void
}

interface Attempt {
  readonly isKept: boolean
  answer(): void
}

/** Writes the first of those that wait in one transaction, answers them once it is on disk, and gives the others. */
export type CommitTogether = (waiting: readonly Write[]) => Write[]

export function createCommitTogether(client: Database, changeMark: ChangeMark): CommitTogether {
  const begin = client.prepare('BEGIN IMMEDIATE')
  const commit = client.prepare('COMMIT')
  const rollBack = client.prepare('ROLLBACK')
  const open = client.prepare('SAVEPOINT one')
  const close = client.prepare('RELEASE one')
  const undo = client.prepare('ROLLBACK TO one')

  function attemptOne(write: Write): Attempt {
    open.run()
    try {
      const attempt = write.attempt()
      if (!attempt.isKept) undo.run()
      close.run()
      return attempt
    } catch (error) {
      // Some failures (a full disk) make SQLite roll back all there is by itself.
      if (!client.inTransaction) throw error
      undo.run()
      close.run()
      return { isKept: false, answer: () => write.fail(error) }
    }
  }

  function attemptInTime(writes: readonly Write[]): Attempt[] {
    const endAt = performance.now() + mostMs
    const attempts: Attempt[] = []
    for (const write of writes) {
      attempts.push(attemptOne(write))
      if (performance.now() > endAt) break
    }
    return attempts
  }

  return waiting => {
    const writes = waiting.slice(0, mostWrites)
    let done = writes.length
    try {
      begin.run()
      const attempts = attemptInTime(writes)
      done = attempts.length
      if (attempts.some(attempt => attempt.isKept)) {
        commit.run()
        changeMark.advance()
      } else {
        rollBack.run()
      }
      // Not before the end: an answer may name what another write of this transaction made.
      for (const attempt of attempts) attempt.answer()
    } catch (error) {
      if (client.inTransaction) rollBack.run()
      const failure = notKept(error)
      for (const write of writes.slice(0, done)) write.fail(failure)
    }
    return waiting.slice(done)
  }
}

function notKept(error: unknown): Error {
  return new Error(`The database kept nothing of this change: ${describeFailure(error)}.`, { cause: error })
}
