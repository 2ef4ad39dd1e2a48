import type { Client } from 'pg'
import { StartError } from '../../errors.ts'
import { type Migrates, type Migration, type OnWait, refuseUnmigrated, selectPending } from '../migrations.ts'
import { sqlStateOf } from './connection/sql-state.ts'
import { boundBySilence } from './silence.ts'

const store = 'The database that DATABASE_URL names'
// Key of the lock for migrations. Any number would do, but all versions of the gateway must use the same one.
const advisoryLock = 7_248_330_115

// By SQLSTATE: a table exists already, and a deadlock. Migrations wait for gateways that serve the database, and these
// for the migrations.
const reasons: Readonly<Record<string, string>> = {
  '42P07': 'holds the tables of another program. Name another database.',
  '40P01': 'is in use and cannot be migrated now. Stop the gateways of the older version, then start again.',
}

const createMigrations = `
  create table if not exists rostrum_migrations (hash text not null, applied_at timestamptz not null default now())`

// Time after which PostgreSQL ends a migration that sends nothing: its gateway hangs, and others wait for its lock.
const maxIdleMs = 5_000
// Time after which a gateway says that it migrates or waits.
const sayAfterMs = 2_000

export interface Migrating {
  /** Called once if a migration takes long, or waits for others that use the database. */
  readonly onWait: OnWait
  readonly migrates: Migrates
}

/** Migrates the database, or throws a `StartError` if it lacks migrations. If this rejects, end the `client`. */
export async function migrateOrRefuse(client: Client, { onWait, migrates }: Migrating): Promise<void> {
  if (migrates === 'all' || (migrates === 'unused' && !(await hasAccount(client)))) {
    return migrate(client, onWait)
  }
  refuseUnmigrated('postgres', await findPending(client), store)
}

/**
 * Applies all missing migrations or none. Gateways that start together take turns. Takes no lock if nothing is missing.
 */
async function migrate(client: Client, onWait: OnWait): Promise<void> {
  if ((await findPending(client)).length === 0) return
  const timer = setTimeout(onWait, sayAfterMs)
  try {
    await client.query('begin')
    await client.query(`set local idle_in_transaction_session_timeout = ${maxIdleMs}`)
    await client.query('select pg_advisory_xact_lock($1)', [advisoryLock])
    for (const { hash, sql } of await findPending(client)) {
      await client.query(createMigrations)
      for (const statement of sql) await client.query(statement)
      await client.query('insert into rostrum_migrations (hash) values ($1)', [hash])
    }
    await client.query('commit')
  } catch (cause) {
    const reason = reasons[sqlStateOf(cause) ?? '']
    throw reason === undefined ? cause : new StartError(`${store} ${reason}`, { cause })
  } finally {
    clearTimeout(timer)
  }
}

async function hasAccount(client: Client): Promise<boolean> {
  if ((await readApplied(client)).length === 0) return false
  return (await client.query('select 1 from accounts limit 1')).rows.length > 0
}

async function findPending(client: Client): Promise<Migration[]> {
  return selectPending('postgres', await readApplied(client), store)
}

async function readApplied(client: Client): Promise<string[]> {
  const look = "select from pg_class where oid = to_regclass('rostrum_migrations')"
  const found = await client.query(boundBySilence(look))
  if (found.rows.length === 0) return []
  const read = boundBySilence('select hash from rostrum_migrations')
  const { rows } = await client.query<{ hash: string }>(read)
  return rows.map(({ hash }) => hash)
}
