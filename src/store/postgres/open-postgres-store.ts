import { sql } from 'drizzle-orm'
import type { Store } from '../../domain/store.ts'
import type { StoreLimits } from '../../domain/store-limits.ts'
import { createDatabase, createTimeCall, type ObserveStore } from '../database.ts'
import { createEntities } from '../entities/entities.ts'
import { createCalls } from './connection/calls.ts'
import { connect } from './connection/connect.ts'
import { createEventSignal } from './connection/event-signal.ts'
import { createPool } from './connection/pool.ts'
import { shares } from './connection/shares.ts'
import { createPostgresDialect } from './dialect.ts'
import { createTokenLookUps } from './find-tokens.ts'
import { createMembershipStore } from './memberships/stored-memberships.ts'
import type { Migrating } from './migrate.ts'
import { createPostgresRunner } from './runner.ts'

interface OpenPostgresStore extends Migrating {
  readonly url: string
  readonly limits: StoreLimits
  readonly onStatement: ((sql: string) => void) | undefined
  readonly observe: ObserveStore | undefined
}

/**
 * Opens the store in a PostgreSQL database, which any number of gateways may share. Throws a `StartError` on failure.
 */
export async function openPostgresStore({
  url,
  limits,
  onStatement,
  observe,
  ...migrating
}: OpenPostgresStore): Promise<Store> {
  // Migrates on a connection without time limits, because a migration may be slow, or wait for that of another gateway.
  await (await connect(url, migrating)).end()
  const pool = createPool({ url, onStatement })
  const calls = createCalls(pool, createTimeCall(observe))
  const signal = createEventSignal({ url, client: pool.of(shares.gateway) })
  const database = createDatabase({
    dialect: createPostgresDialect(calls),
    runner: createPostgresRunner(calls),
    announce: signal.announce,
  })
  const tokenLookUps = createTokenLookUps(calls)
  const { parts, stores } = createEntities({ database, limits, tokenLookUps, listeners: signal })
  const ping = database.prepare(sql`select 1 from accounts limit 1`)
  return {
    memberships: createMembershipStore({ database, parts, calls, signal }),
    ...stores,
    keyFile: null,
    async ping() {
      await database.read(ping, {})
    },
    async close() {
      signal.close()
      await pool.close()
    },
  }
}
