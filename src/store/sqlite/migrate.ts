import type { Database } from 'better-sqlite3'
import { StartError } from '../../errors.ts'
import { type Migration, readMigrations, selectPending } from '../migrations.ts'

/** Brings the file to the newest migration: all of them or none, under the write lock, whoever else starts just now. */
export function migrate(client: Database, store: string): void {
  if (findPending(client, store).length === 0) return
  client
    .transaction(() => {
      client.exec(
        'CREATE TABLE IF NOT EXISTS rostrum_migrations (hash text NOT NULL, applied_at integer NOT NULL)',
      )
      const insert = client.prepare('INSERT INTO rostrum_migrations (hash, applied_at) VALUES (?, ?)')
      for (const { hash, statements } of findPending(client, store)) {
        for (const statement of statements) client.exec(statement)
        insert.run(hash, Date.now())
      }
    })
    .immediate()
}

/** The migrations that the file lacks. `StartError` where it is newer than this code, or another program's. */
export function findPending(client: Database, store: string): Migration[] {
  const tables = client
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .pluck()
    .all()
  const isOurs = tables.includes('rostrum_migrations')
  if (!isOurs && tables.length > 0) {
    throw new StartError(`${store} holds the tables of another program. Name another path.`)
  }
  const readApplied = () => client.prepare<[], string>('SELECT hash FROM rostrum_migrations').pluck().all()
  return selectPending(readMigrations('sqlite'), isOurs ? readApplied() : [], store)
}
