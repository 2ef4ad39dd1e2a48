import type { Sql, TransactionSql } from 'postgres'
import { StartError } from '../../errors.ts'
import { readMigrations, selectPending } from '../migrations.ts'
import { sqlStateOf } from './sql-state.ts'

// Any number will do, as long as all versions of the gateway take the same.
const advisoryLock = 7_248_330_115

/** Brings the database to the newest migration: all of them or none, one gateway after the other. */
export async function migrate(client: Sql): Promise<void> {
  const known = readMigrations('postgres')
  const store = 'The database that DATABASE_URL names'
  try {
    await client.begin(async transaction => {
      await transaction`select pg_advisory_xact_lock(${advisoryLock})`
      const pending = selectPending(known, await readApplied(transaction), store)
      if (pending.length === 0) return
      await transaction`
        create table if not exists rostrum_migrations
          (hash text not null, applied_at timestamptz not null default now())`
      for (const { hash, statements } of pending) {
        for (const statement of statements) await transaction.unsafe(statement)
        await transaction`insert into rostrum_migrations (hash) values (${hash})`
      }
    })
  } catch (error) {
    const isTaken = sqlStateOf(error) === '42P07'
    if (!isTaken) throw error
    throw new StartError(`${store} holds the tables of another program. Name another database.`, {
      cause: error,
    })
  }
}

async function readApplied(transaction: TransactionSql): Promise<string[]> {
  const [table] = await transaction`select to_regclass('rostrum_migrations') is not null as exists`
  if (!table?.exists) return []
  const rows = await transaction<{ hash: string }[]>`select hash from rostrum_migrations`
  return rows.map(({ hash }) => hash)
}
