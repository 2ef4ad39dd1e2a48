import { drizzle } from 'drizzle-orm/postgres-js'
import type { Store } from '../../domain/store.ts'
import { createAccountStore } from './account-store.ts'
import { boundStore } from './bound-store.ts'
import { connect } from './connect.ts'
import { createEventSignal } from './event-signal.ts'
import { createEventStore } from './event-store.ts'
import { createIdempotencyStore } from './idempotency-store.ts'
import { createMembershipStore } from './membership-store.ts'
import { createProvision } from './provision.ts'
import { createTeamStore } from './team-store.ts'
import { createTokenStore } from './token-store.ts'
import { createTransactions } from './transactions.ts'
import { createUserStore } from './user-store.ts'

// More than a statement may take.
const mostMs = 5_000
// Behind slow statements it takes minutes to answer so many, and in an ordinary second it answers more.
const mostCalls = 2_000

export interface OpenPostgresStore {
  readonly url: string
  readonly onStatement: ((sql: string) => void) | undefined
}

/** The store in a PostgreSQL database, which any number of gateways may share. `StartError` where it cannot be opened. */
export async function openPostgresStore({ url, onStatement }: OpenPostgresStore): Promise<Store> {
  const pool = await connect({ url, onStatement, isBounded: true })
  const transactions = createTransactions(pool)
  const db = drizzle(transactions.client)
  const signal = createEventSignal(pool)
  const provision = createProvision(db)
  const store: Store = {
    memberships: createMembershipStore({ db, pool, transactions, signal }),
    users: createUserStore({ db, pool, transactions, provision }),
    teams: createTeamStore({ db, pool, transactions, provision }),
    accounts: createAccountStore({ db, provision }),
    tokens: createTokenStore({ db, pool }),
    events: createEventStore(db, signal),
    idempotency: createIdempotencyStore(db, transactions),
    async ping() {
      await pool`select 1 from accounts limit 1`
    },
    async close() {
      await pool.end({ timeout: 5 })
    },
  }
  return boundStore(store, { mostMs, mostCalls })
}
