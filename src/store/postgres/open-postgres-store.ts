import { drizzle } from 'drizzle-orm/pg-proxy'
import type { Store } from '../../domain/store.ts'
import { createAccountStore } from './account-store.ts'
import { boundStore } from './bound-store.ts'
import { connect } from './connect.ts'
import { createEventSignal } from './event-signal.ts'
import { createEventStore } from './event-store.ts'
import { createFindTokens } from './find-tokens.ts'
import { createIdempotencyStore } from './idempotency-store.ts'
import { createMembershipStore } from './membership-store.ts'
import { createPool } from './pool.ts'
import { shares } from './shares.ts'
import { createTeamStore } from './team-store.ts'
import { createTokenStore } from './token-store.ts'
import { createTransactions } from './transactions.ts'
import { createUserStore } from './user-store.ts'

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
  const reading = { db, client, shared: pool.of(shares.shared) }
  const tokenClients = { known: reading.shared, unknown: pool.of(shares.unknownTokens) }
  const { findBySha256, ownerOf: ownerOfToken } = createFindTokens({ db, clients: tokenClients })
  const signal = createEventSignal({ url, client: pool.of(shares.gateway) })
  const store: Store = {
    memberships: createMembershipStore({ ...reading, pool, transactions, signal }),
    users: createUserStore({ ...reading, transactions }),
    teams: createTeamStore({ ...reading, transactions }),
    accounts: createAccountStore(db),
    tokens: createTokenStore({ db, transactions, findBySha256 }),
    events: createEventStore(db, signal),
    idempotency: createIdempotencyStore(db, transactions),
    async ping() {
      await client.query('select 1 from accounts limit 1')
    },
    async close() {
      signal.close()
      await pool.close()
    },
  }
  return boundStore(store, { runAs: transactions.runAs, ownerOfToken })
}
