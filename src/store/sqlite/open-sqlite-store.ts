import type { Database } from 'better-sqlite3'
import type { Store } from '../../domain/store.ts'
import { createDatabase } from '../database.ts'
import { createEntities } from '../entities/entities.ts'
import { createChangeMark } from './connection/change-mark.ts'
import { connect } from './connection/connect.ts'
import { createEventSignal } from './connection/event-signal.ts'
import { refuseUnusableFile } from './connection/file-checks.ts'
import { holdServeLock } from './connection/serve-lock.ts'
import { createTransactions } from './connection/transactions.ts'
import { createSqliteDialect } from './dialect.ts'
import { createMembershipStore } from './memberships.ts'
import { createSqliteRunner } from './runner.ts'
import { createTokenLookUps } from './token-look-ups.ts'

// Each page of an answer is written once. To move a log full of answers into the file would stop the event loop for 70
// ms; one by one they take about 5 ms each.
const largeAnswerBytes = 256 * 2 ** 10

export interface OpenSqliteStore {
  /** A path, or `:memory:`. */
  readonly path: string
  readonly onStatement: ((sql: string) => void) | undefined
  /** Whether to be the one gateway of this file. */
  readonly serve: boolean
}

/**
 * The store in a SQLite file, created and migrated where needed. `StartError` if that is not possible; then no byte has
 * changed.
 */
export async function openSqliteStore({ path, onStatement, serve }: OpenSqliteStore): Promise<Store> {
  const isFile = path !== ':memory:'
  if (isFile) refuseUnusableFile(path)
  const releaseServeLock = isFile && serve ? holdServeLock(path) : () => {}
  try {
    const client = await connect({ path, onStatement })
    return arrange(client, releaseServeLock)
  } catch (error) {
    releaseServeLock()
    throw error
  }
}

function arrange(client: Database, releaseServeLock: () => void): Store {
  const changeMark = createChangeMark(client)
  const transactions = createTransactions(client)
  const signal = createEventSignal()
  const dialect = createSqliteDialect(client, changeMark)
  const runner = createSqliteRunner(transactions)
  const database = createDatabase({ dialect, runner, announce: signal.announce })
  const { parts, stores } = createEntities({
    database,
    tokenLookUps: createTokenLookUps(dialect, changeMark),
    onChange: signal.onChange,
    afterSettle(bytes) {
      if (bytes >= largeAnswerBytes) client.pragma('wal_checkpoint(PASSIVE)')
    },
  })
  const ping = client.prepare('SELECT 1 FROM accounts LIMIT 1')
  return {
    memberships: createMembershipStore(database, parts),
    ...stores,
    async ping() {
      ping.get()
    },
    async close() {
      transactions.flush()
      client.close()
      releaseServeLock()
    },
  }
}
