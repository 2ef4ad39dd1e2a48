import { setTimeout as sleep } from 'node:timers/promises'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { StartError } from '../../../errors.ts'
import { migrate } from '../migrate.ts'
import { cannotBe } from './describe-failure.ts'
import { createForOwner, refuseUnusableFile } from './file-checks.ts'
import { takeServeLock } from './serve-lock.ts'

const busyTimeoutMs = 5_000

// 32 MB. Moving the log into the file stops the event loop for some milliseconds; each page is moved once, however
// often it was written.
const pagesOfLog = 8_000

export interface Connect {
  /** A path, or `:memory:`. */
  readonly path: string
  readonly onStatement: ((sql: string) => void) | undefined
  /** Whether to be the one gateway of this file. */
  readonly serve: boolean
}

interface Connection {
  readonly client: Database
  readonly close: () => void
}

/**
 * A connection to the file, durable and migrated. `StartError` if that is not possible; a file that is refused keeps
 * every byte.
 */
export async function connect({ path, onStatement, serve }: Connect): Promise<Connection> {
  const isFile = path !== ':memory:'
  if (isFile) refuseUnusableFile(path)
  const releaseServeLock = isFile && serve ? takeServeLock(path) : () => {}
  let client: Database | undefined
  const close = () => {
    client?.close()
    releaseServeLock()
  }
  try {
    if (isFile) createForOwner(path)
    client = new SqliteDatabase(path, {
      timeout: busyTimeoutMs,
      ...(onStatement && { verbose: statement => onStatement(String(statement)) }),
    })
    await turnOnWal(client)
    client.pragma('synchronous = FULL')
    client.pragma(`wal_autocheckpoint = ${pagesOfLog}`)
    client.pragma('foreign_keys = ON')
    migrate(client, `The database \`${path}\``)
    return { client, close }
  } catch (error) {
    close()
    throw error instanceof StartError ? error : cannotBe('opened', path, error)
  }
}

// Two processes that turn it on at once can meet in a way that SQLite reports as busy without waiting.
async function turnOnWal(client: Database): Promise<void> {
  const deadline = performance.now() + busyTimeoutMs
  for (;;) {
    try {
      client.pragma('journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() > deadline) throw error
      await sleep(20)
    }
  }
}
