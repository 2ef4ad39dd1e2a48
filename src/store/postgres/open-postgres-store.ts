import { sql } from 'drizzle-orm'
import type { Store } from '../../domain/store.ts'
import { createDatabase } from '../database.ts'
import { createEntities } from '../entities/entities.ts'
import { createAccountTurns } from './connection/account-turns.ts'
import { createBound } from './connection/bound.ts'
import { connect } from './connection/connect.ts'
import { createEventSignal } from './connection/event-signal.ts'
import { createPool } from './connection/pool.ts'
import { shares } from './connection/shares.ts'
import { createTransactions } from './connection/transactions.ts'
import { createPostgresDialect } from './dialect.ts'
import { createMembershipStore } from './memberships/membership-store.ts'
import { createPostgresRunner } from './runner.ts'
import { createTokenLookUps } from './token-look-ups.ts'

// Changes of an account wait for each other at its counters, each with a connection that others could use.
const maxChangesAtOnce = 4

export interface OpenPostgresStore {
  readonly url: string
  readonly onStatement: ((sql: string) => void) | undefined
}

/**
 * The store in a PostgreSQL database, which any number of gateways may share. `StartError` where it cannot be opened.
 */
export async function openPostgresStore({ url, onStatement }: OpenPostgresStore): Promise<Store> {
  // On a connection without bounds: a migration may be slow, and waits for those of other gateways.
  await (await connect(url)).end()
  const pool = createPool({ url, onStatement })
  const transactions = createTransactions(pool)
  const bound = createBound(transactions)
  const clients = { client: transactions.client, shared: pool.of(shares.shared) }
  const signal = createEventSignal({ url, client: pool.of(shares.gateway) })
  const inTurn = createAccountTurns({
    account: maxChangesAtOnce,
    tooLate: 'Other changes of this account took too long',
  })
  const database = createDatabase({
    dialect: createPostgresDialect({ clients, bound }),
    runner: createPostgresRunner({ transactions, inTurn, bound }),
    announce: signal.announce,
  })
  const tokenClients = { known: clients.shared, unknown: pool.of(shares.unknownTokens) }
  const tokenLookUps = createTokenLookUps({ tables: database.tables, bound, clients: tokenClients })
  const { parts, stores } = createEntities({ database, tokenLookUps, onChange: signal.onChange })
  const ping = database.prepare(sql`select 1 from accounts limit 1`)
  return {
    memberships: createMembershipStore({ database, parts, transactions, inTurn, bound, signal }),
    ...stores,
    async ping() {
      await database.read(ping, {})
    },
    async close() {
      signal.close()
      await pool.close()
    },
  }
}
