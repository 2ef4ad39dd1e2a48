import type { Database } from 'better-sqlite3'
import { RostrumError } from '../../../errors.ts'
import { describeFailure, isDiskError, isLocked } from './describe-failure.ts'

// Maximum number of writes in one transaction, so that reads and other processes need not wait long.
const maxWrites = 256
const maxMs = 8

/** A change that waits to be written. */
export interface Write {
  attempt(): Attempt
  fail(error: unknown): void
}

interface Attempt {
  readonly hasWritten: boolean
  answer(): void
}

/** Says that nothing was changed, because another program holds the write lock. */
export class Locked {
  /** The error for a write that waits no longer. */
  readonly failure: Error

  constructor(cause: unknown) {
    this.failure = notCommitted(cause)
  }
}

/**
 * Returns a function that commits the first waiting writes in one transaction, resolves them once they are on disk, and
 * returns the writes that still wait. It returns `Locked` if another program holds the write lock.
 */
export function createCommitTogether(client: Database): (waiting: readonly Write[]) => Write[] | Locked {
  const begin = client.prepare('BEGIN IMMEDIATE')
  const commit = client.prepare('COMMIT')
  const rollBack = client.prepare('ROLLBACK')
  const open = client.prepare('SAVEPOINT one')
  const close = client.prepare('RELEASE one')
  const undo = client.prepare('ROLLBACK TO one')

  // Attempts a write in a savepoint. That is slower, because SQLite then copies each page that it changes.
  function attemptApart(write: Write): Attempt {
    open.run()
    try {
      const attempt = write.attempt()
      close.run()
      return attempt
    } catch (error) {
      if (!client.inTransaction) throw error
      undo.run()
      close.run()
      // After some failures of the disk, such as no room for a temporary file, the other writes can go on.
      const failure = isDiskError(error) ? notCommitted(error) : error
      return { hasWritten: false, answer: () => write.fail(failure) }
    }
  }

  // Attempts all writes without savepoints, because writes rarely throw. If one does, attempts all of them again, each
  // in a savepoint.
  function attemptAll(writes: readonly Write[]): Attempt[] {
    begin.run()
    try {
      return attemptInTime(writes, write => write.attempt())
    } catch (error) {
      // After some failures, such as a full disk, SQLite has already rolled back by itself.
      if (!client.inTransaction) throw error
      rollBack.run()
    }
    begin.run()
    return attemptInTime(writes, attemptApart)
  }

  return waiting => {
    const writes = waiting.slice(0, maxWrites)
    let done = writes.length
    try {
      const attempts = attemptAll(writes)
      done = attempts.length
      if (attempts.some(attempt => attempt.hasWritten)) commit.run()
      else rollBack.run()
      // Answer only after the commit, because an answer may name what another write of this transaction made.
      for (const attempt of attempts) attempt.answer()
    } catch (error) {
      if (client.inTransaction) rollBack.run()
      else if (isLocked(error)) return new Locked(error)
      const failure = notCommitted(error)
      for (const write of writes.slice(0, done)) write.fail(failure)
    }
    return waiting.slice(done)
  }
}

function attemptInTime(writes: readonly Write[], attemptOne: (write: Write) => Attempt): Attempt[] {
  const endAt = performance.now() + maxMs
  const attempts: Attempt[] = []
  for (const write of writes) {
    attempts.push(attemptOne(write))
    if (performance.now() > endAt) break
  }
  return attempts
}

function notCommitted(error: unknown): Error {
  const message = `The database kept nothing of this change: ${describeFailure(error)}.`
  if (!isDiskError(error)) return new Error(message, { cause: error })
  return new RostrumError('UNAVAILABLE', message, { retryAfterSeconds: 1, cause: error })
}
