import type { Database } from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { Store } from '../../domain/store.ts'
import { createAccountStore } from './account-store.ts'
import { createChangeMark } from './change-mark.ts'
import { connect } from './connect.ts'
import { createCounters } from './counters.ts'
import { createEventSignal } from './event-signal.ts'
import { createEventStore, createWriteEvent } from './event-store.ts'
import { refuseUnusableFile } from './file-checks.ts'
import { createIdempotencyStore } from './idempotency-store.ts'
import { createMembershipStore } from './membership-store.ts'
import { createProvision } from './provision.ts'
import { holdServeLock } from './serve-lock.ts'
import { createTeamStore } from './team-store.ts'
import { createTokenStore } from './token-store.ts'
import { createTransactions } from './transactions.ts'
import { createUserStore } from './user-store.ts'

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
  const db = drizzle(client)
  const changeMark = createChangeMark(client)
  const transactions = createTransactions(client, changeMark)
  const counters = createCounters(db)
  const provision = createProvision(db)
  const signal = createEventSignal()
  const writeEvent = createWriteEvent(db, counters)
  const ping = client.prepare('SELECT 1 FROM accounts LIMIT 1')
  return {
    memberships: createMembershipStore({
      db,
      transactions,
      counters,
      provision,
      changeMark,
      writeEvent,
      signal,
    }),
    users: createUserStore({ db, transactions, counters, provision, changeMark }),
    teams: createTeamStore({ db, transactions, provision, changeMark }),
    accounts: createAccountStore({ db, transactions, provision }),
    tokens: createTokenStore({ db, transactions, counters, changeMark }),
    events: createEventStore(db, signal),
    idempotency: createIdempotencyStore(db, transactions),
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
