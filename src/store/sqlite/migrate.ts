import type { Database } from 'better-sqlite3'
import { readMigrations, selectPending } from '../migrations.ts'

/** Brings the file to the newest migration: all of them or none, under the write lock, whoever else starts just now. */
export function migrate(client: Database, store: string): void {
  const known = readMigrations('sqlite')
  if (selectPending(known, readApplied(client), store).length === 0) return
  client
    .transaction(() => {
      client.exec(
        'CREATE TABLE IF NOT EXISTS rostrum_migrations (hash text NOT NULL, applied_at integer NOT NULL)',
      )
      const insert = client.prepare('INSERT INTO rostrum_migrations (hash, applied_at) VALUES (?, ?)')
      for (const { hash, statements } of selectPending(known, readApplied(client), store)) {
        for (const statement of statements) client.exec(statement)
        insert.run(hash, Date.now())
      }
    })
    .immediate()
}

/** Hashes of the migrations that the file has; none where it never had any. */
export function readApplied(client: Database): string[] {
  if (!hasMigrationsTable(client)) return []
  return client.prepare<[], string>('SELECT hash FROM rostrum_migrations').pluck().all()
}

export function hasMigrationsTable(client: Database): boolean {
  const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'rostrum_migrations'"
  return client.prepare(table).get() !== undefined
}
