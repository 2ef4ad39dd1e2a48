import { setTimeout as sleep } from 'node:timers/promises'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { StartError } from '../../../errors.ts'
import type { Migrates, OnWait } from '../../migrations.ts'
import { migrate, refuseOthers } from '../migrate.ts'
import { cannotBe, isLocked, maxLockMs } from './describe-failure.ts'
import { createForOwner, refuseUnusableFile } from './file-checks.ts'
import { takeServeLock } from './serve-lock.ts'

// After the start, because SQLite waits on the thread that serves requests. Writes wait longer in `transactions.ts`.
const shortBusyTimeoutMs = 10

// Pages of the log after which SQLite moves them into the file: 32 MB. That stops the event loop for some milliseconds,
// but each page is moved only once, however often it was written.
const pagesOfLog = 8_000

// A log that grew beyond this in one transaction, such as a migration, is cut to it when SQLite starts it over.
const maxLogBytes = 2 ** 26

export interface Connect {
  /** A file path, or `:memory:`. */
  readonly path: string
  readonly onStatement: ((sql: string) => void) | undefined
  /** If true, this process becomes the only gateway of the file. */
  readonly serve: boolean
  readonly migrates: Migrates
  /** Called before a store of an older version is migrated. */
  readonly onWait?: OnWait
}

interface Connection {
  readonly client: Database
  readonly close: () => void
}

/**
 * Opens a durable connection to the migrated file. Throws a `StartError` if that is not possible; a file that is
 * refused stays unchanged.
 */
export async function connect(options: Connect): Promise<Connection> {
  const { path, onStatement, serve, migrates, onWait = () => {} } = options
  const isFile = path !== ':memory:'
  if (isFile) refuseUnusableFile(path)
  let releaseServeLock = () => {}
  let client: Database | undefined
  const close = () => {
    client?.close()
    releaseServeLock()
  }
  try {
    // Before the lock, which lies beside the file that a symbolic link names.
    if (isFile) createForOwner(path)
    if (isFile && serve) releaseServeLock = takeServeLock(path)
    client = new SqliteDatabase(path, {
      timeout: maxLockMs,
      ...(onStatement && { verbose: statement => onStatement(String(statement)) }),
    })
    const store = `The database \`${path}\``
    if (isFile) refuseOthers(client, store, migrates)
    await turnOnWal(client)
    client.pragma('synchronous = FULL')
    client.pragma(`wal_autocheckpoint = ${pagesOfLog}`)
    client.pragma(`journal_size_limit = ${maxLogBytes}`)
    client.pragma('foreign_keys = ON')
    await migrate(client, store, onWait)
    client.pragma(`busy_timeout = ${shortBusyTimeoutMs}`)
    return { client, close }
  } catch (error) {
    close()
    throw error instanceof StartError ? error : cannotBe('opened', path, error)
  }
}

// Turns on WAL mode, and retries: if two processes do so at once, SQLite may report "busy" without waiting.
async function turnOnWal(client: Database): Promise<void> {
  const deadline = performance.now() + maxLockMs
  for (;;) {
    try {
      client.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error
      await sleep(20)
    }
  }
}
