import type { Database } from 'better-sqlite3'
import { StartError } from '../../errors.ts'
import {
  type Migrates,
  type Migration,
  type OnWait,
  readMigrations,
  refuseUnmigrated,
  selectPending,
} from '../migrations.ts'

/**
 * Applies all missing migrations or none, under the write lock, because other processes may be starting too. Waits for
 * `onWait` before it migrates a store that an older version made: nothing else happens in this process meanwhile.
 */
export async function migrate(client: Database, store: string, onWait: OnWait): Promise<void> {
  const { length } = findPending(client, store)
  if (length === 0) return
  if (length < readMigrations('sqlite').length) await onWait()
  const apply = client.transaction(() => {
    client.exec(
      'create table if not exists rostrum_migrations (hash text not null, applied_at integer not null)',
    )
    const insert = client.prepare('insert into rostrum_migrations (hash, applied_at) values (?, ?)')
    for (const { hash, sql } of findPending(client, store)) {
      for (const statement of sql) client.exec(statement)
      insert.run(hash, Date.now())
    }
  })
  apply.immediate()
}

/** Throws a `StartError` for a file that lacks migrations, unless `migrates` includes it. */
export function refuseOthers(client: Database, store: string, migrates: Migrates): void {
  const pending = findPending(client, store)
  if (migrates === 'all' || (migrates === 'unused' && !hasAccount(client))) return
  refuseUnmigrated('sqlite', pending, store)
}

function hasAccount(client: Database): boolean {
  const table = client.prepare("select 1 from sqlite_master where name = 'accounts'").get()
  return table !== undefined && client.prepare('select 1 from accounts limit 1').get() !== undefined
}

/**
 * Returns the migrations that the file lacks. Throws a `StartError` if the file is newer than this code, or belongs to
 * another program.
 */
export function findPending(client: Database, store: string): Migration[] {
  const readTexts = (text: string) => client.prepare<[], string>(text).pluck().all()
  const tables = readTexts("select name from sqlite_master where type in ('table', 'view')")
  const isOurs = tables.includes('rostrum_migrations')
  if (!isOurs && tables.length > 0) {
    throw new StartError(`${store} holds the tables of another program. Name another path.`)
  }
  return selectPending('sqlite', isOurs ? readTexts('select hash from rostrum_migrations') : [], store)
}
