import { drizzle } from 'drizzle-orm/pg-proxy'
import type { Store } from '../../domain/store.ts'
import { createAccountStore } from './account-store.ts'
import { boundStore } from './bound-store.ts'
import { connect } from './connect.ts'
import { createEventSignal } from './event-signal.ts'
import { createEventStore } from './event-store.ts'
import { createIdempotencyStore } from './idempotency-store.ts'
import { createMembershipStore } from './membership-store.ts'
import { createPool } from './pool.ts'
import { createTeamStore } from './team-store.ts'
import { createTokenStore } from './token-store.ts'
import { createTransactions } from './transactions.ts'
import { createUserStore } from './user-store.ts'

// More than a statement may take.
const mostMs = 5_000
// In an ordinary second it answers more; behind slow statements those beyond would only wait for a connection until they are told of none.
const mostCalls = 2_000

export interface OpenPostgresStore {
  readonly url: string
  readonly onStatement: ((sql: string) => void) | undefined
}

/** The store in a PostgreSQL database, which any number of gateways may share. `StartError` where it cannot be opened. */
export async function openPostgresStore({ url, onStatement }: OpenPostgresStore): Promise<Store> {
  // By a connection of its own, since a migration takes as long as it takes, and waits for those of other gateways.
  await (await connect(url)).end()
  const pool = createPool({ url, onStatement })
  const transactions = createTransactions(pool)
  const { client } = transactions
  const db = drizzle(async (text, values, method) => ({
    rows: await (method === 'all' ? client.queryArrays(text, values) : client.query(text, values)),
  }))
  const signal = createEventSignal({ url, pool })
  const store: Store = {
    memberships: createMembershipStore({ db, pool, transactions, signal }),
    users: createUserStore({ db, pool, transactions }),
    teams: createTeamStore({ db, pool, transactions }),
    accounts: createAccountStore(db),
    tokens: createTokenStore({ db, pool, transactions }),
    events: createEventStore(db, signal),
    idempotency: createIdempotencyStore(db, transactions),
    async ping() {
      await pool.query('select 1 from accounts limit 1')
    },
    async close() {
      signal.close()
      await pool.close()
    },
  }
  return boundStore(store, { mostMs, mostCalls })
}
