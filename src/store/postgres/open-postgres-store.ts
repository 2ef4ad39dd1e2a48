import type { Store } from '../../domain/store.ts'
import { createEntities } from '../entities/entities.ts'
import { createAccountTurns } from './connection/account-turns.ts'
import { boundStore } from './connection/bound-store.ts'
import { connect } from './connection/connect.ts'
import { createEventSignal } from './connection/event-signal.ts'
import { createPool } from './connection/pool.ts'
import { shares } from './connection/shares.ts'
import { createTransactions } from './connection/transactions.ts'
import { createPostgresDatabase } from './database.ts'
import { createPostgresDialect } from './dialect.ts'
import { createIdempotencyStore } from './idempotency-store.ts'
import { createMembershipStore } from './memberships/membership-store.ts'
import { createTokenLookUps } from './token-look-ups.ts'

// Changes of an account wait for each other at its counters, each with a connection that others could use.
const maxChangesAtOnce = 4

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
  const shared = pool.of(shares.shared)
  const signal = createEventSignal({ url, client: pool.of(shares.gateway) })
  const dialect = createPostgresDialect({ client, shared })
  const inTurn = createAccountTurns({
    account: maxChangesAtOnce,
    tooLate: 'Other changes of this account took too long',
  })
  const database = createPostgresDatabase({ dialect, transactions, inTurn, signal })
  const tokenClients = { known: shared, unknown: pool.of(shares.unknownTokens) }
  const { ownerOf, ...tokenLookUps } = createTokenLookUps({ ...dialect, clients: tokenClients })
  const { stores } = createEntities({ database, tokenLookUps, onChange: signal.onChange })
  const store: Store = {
    memberships: createMembershipStore({ database, pool, transactions, inTurn, signal }),
    ...stores,
    idempotency: createIdempotencyStore(database, transactions),
    async ping() {
      await client.query('select 1 from accounts limit 1')
    },
    async close() {
      signal.close()
      await pool.close()
    },
  }
  return boundStore(store, { runAs: transactions.runAs, ownerOfToken: ownerOf })
}
