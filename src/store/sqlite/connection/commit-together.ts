import type { Database } from 'better-sqlite3'
import { RostrumError } from '../../../errors.ts'
import { describeFailure, isOfTheDisk } from './describe-failure.ts'

// So that requests which only read are not held up, nor another process that waits for the lock.
const mostWrites = 256
const mostMs = 8

/** A change that waits to be written. */
export interface Write {
  attempt(): Attempt
  fail(error: unknown): void
}

interface Attempt {
  readonly hasWritten: boolean
  answer(): void
}

/** Writes the first of those that wait in one transaction, answers them once it is on disk, and gives the others. */
export type CommitTogether = (waiting: readonly Write[]) => Write[]

export function createCommitTogether(client: Database): CommitTogether {
  const begin = client.prepare('BEGIN IMMEDIATE')
  const commit = client.prepare('COMMIT')
  const rollBack = client.prepare('ROLLBACK')
  const open = client.prepare('SAVEPOINT one')
  const close = client.prepare('RELEASE one')
  const undo = client.prepare('ROLLBACK TO one')

  // A savepoint keeps a copy of each page that is written in it: half as much again as the write where rows are added at the end.
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
      return { hasWritten: false, answer: () => write.fail(error) }
    }
  }

  // Hardly any write throws, so that one which does costs those with it a second attempt.
  function attemptAll(writes: readonly Write[]): Attempt[] {
    begin.run()
    try {
      return attemptInTime(writes, write => write.attempt())
    } catch (error) {
      // Some failures (a full disk) make SQLite roll back by itself.
      if (!client.inTransaction) throw error
      rollBack.run()
    }
    begin.run()
    return attemptInTime(writes, attemptApart)
  }

  return waiting => {
    const writes = waiting.slice(0, mostWrites)
    let done = writes.length
    try {
      const attempts = attemptAll(writes)
      done = attempts.length
      if (attempts.some(attempt => attempt.hasWritten)) commit.run()
      else rollBack.run()
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

function attemptInTime(writes: readonly Write[], attemptOne: (write: Write) => Attempt): Attempt[] {
  const endAt = performance.now() + mostMs
  const attempts: Attempt[] = []
  for (const write of writes) {
    attempts.push(attemptOne(write))
    if (performance.now() > endAt) break
  }
  return attempts
}

function notKept(error: unknown): Error {
  const message = `The database kept nothing of this change: ${describeFailure(error)}.`
  if (!isOfTheDisk(error)) return new Error(message, { cause: error })
  return new RostrumError('UNAVAILABLE', message, { retryAfterSeconds: 1, cause: error })
}
