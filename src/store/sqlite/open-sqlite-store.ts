import type { Database } from 'better-sqlite3'
import type { Store } from '../../domain/store.ts'
import { createEntities } from '../entities/entities.ts'
import { createChangeMark } from './connection/change-mark.ts'
import { connect } from './connection/connect.ts'
import { createEventSignal } from './connection/event-signal.ts'
import { refuseUnusableFile } from './connection/file-checks.ts'
import { holdServeLock } from './connection/serve-lock.ts'
import { createTransactions } from './connection/transactions.ts'
import { createSqliteDatabase } from './database.ts'
import { createSqliteDialect } from './dialect.ts'
import { createIdempotencyStore } from './idempotency-store.ts'
import { createMembershipStore } from './memberships/membership-store.ts'
import { createTokenLookUps } from './token-look-ups.ts'

export interface OpenSqliteStore {
  /** A path, or `:memory:`. */
  readonly path: string
  readonly onStatement: ((sql: string) => void) | undefined
  /** Whether to be the one gateway of this file. */
  readonly serve: boolean
}

/** The store in a SQLite file, made and migrated where needed. `StartError`, and no byte changed, where it cannot be. */
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
  const transactions = createTransactions(client, changeMark)
  const signal = createEventSignal()
  const dialect = createSqliteDialect(client, changeMark)
  const database = createSqliteDatabase({ dialect, transactions, signal })
  const tokenLookUps = createTokenLookUps(dialect, changeMark)
  const { parts, stores } = createEntities({ database, tokenLookUps, onChange: signal.onChange })
  const ping = client.prepare('SELECT 1 FROM accounts LIMIT 1')
  return {
    memberships: createMembershipStore({ database, client, ...parts }),
    ...stores,
    idempotency: createIdempotencyStore(database, client),
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
