import type { Client } from 'pg'
import { StartError } from '../../errors.ts'
import { type Migration, readMigrations, selectPending } from '../migrations.ts'
import { sqlStateOf } from './connection/sql-state.ts'

// Any number will do, as long as all versions of the gateway take the same.
const advisoryLock = 7_248_330_115

/** Brings the database to the newest migration: all of them or none, one gateway after the other. When it rejects, `client` is to be ended. */
export async function migrate(client: Client): Promise<void> {
  const known = readMigrations('postgres')
  const store = 'The database that DATABASE_URL names'
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [advisoryLock])
    for (const migration of selectPending(known, await readApplied(client), store))
      await apply(client, migration)
    await client.query('commit')
  } catch (error) {
    const isTaken = sqlStateOf(error) === '42P07'
    if (!isTaken) throw error
    throw new StartError(`${store} holds the tables of another program. Name another database.`, {
      cause: error,
    })
  }
}

async function readApplied(client: Client): Promise<string[]> {
  const { rows: tables } = await client.query(
    "select from pg_class where oid = to_regclass('rostrum_migrations')",
  )
  if (tables.length === 0) return []
  const { rows } = await client.query<{ hash: string }>('select hash from rostrum_migrations')
  return rows.map(({ hash }) => hash)
}

async function apply(client: Client, { hash, statements }: Migration): Promise<void> {
  await client.query(`
    create table if not exists rostrum_migrations
      (hash text not null, applied_at timestamptz not null default now())`)
  for (const statement of statements) await client.query(statement)
  await client.query('insert into rostrum_migrations (hash) values ($1)', [hash])
}
