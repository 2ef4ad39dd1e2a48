import type { Store } from '../domain/store.ts'
import { noLimits, type StoreLimits } from '../domain/store-limits.ts'
import { StartError } from '../errors.ts'
import { importQuickly } from '../import-quickly.ts'
import type { ObserveStore } from './database.ts'
import type { Migrates, OnWait } from './migrations.ts'

export interface OpenStore {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`, as in the setting DATABASE_URL. */
  readonly url: string
  /** Whether to be the one gateway of a SQLite file. PostgreSQL ignores it. */
  readonly serve?: boolean
  /** `all` by default. */
  readonly migrates?: Migrates
  /** No limits by default. */
  readonly limits?: StoreLimits
  /** Called once if the file of a SQLite store that is served is removed or replaced, with the reason. */
  readonly onLost?: (reason: string) => void
  /**
   * Called once if a migration of PostgreSQL takes long, or waits for others that use the database, and before a SQLite
   * store of an older version is migrated, which waits for it.
   */
  readonly onWait?: OnWait
  readonly observe?: ObserveStore
  /** Gets every statement that is sent to the open store, `begin` and `commit` included. */
  readonly onStatement?: (sql: string) => void
}

/**
 * The migrated store of the URL. Throws a `StartError` of one line, without the password, if it cannot be opened. Loads
 * only the engine that it needs: the other one takes a tenth of a second.
 */
export async function openStore(options: OpenStore): Promise<Store> {
  const { url, serve = false, limits = noLimits, onStatement, observe } = options
  const { onLost = () => {}, onWait = () => {}, migrates = 'all' } = options
  if (url.startsWith('sqlite:')) {
    const { openSqliteStore } = await importQuickly(() => import('./sqlite/open-sqlite-store.ts'))
    const path = url.slice('sqlite:'.length)
    return openSqliteStore({ path, serve, migrates, onWait, limits, onLost, onStatement, observe })
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgresStore } = await importQuickly(() => import('./postgres/open-postgres-store.ts'))
    return openPostgresStore({ url, limits, onStatement, observe, onWait, migrates })
  }
  throw new StartError('The setting DATABASE_URL must be `sqlite:<path>` or `postgres://…`.')
}
