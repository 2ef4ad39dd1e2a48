import type { Store } from '../domain/store.ts'
import { StartError } from '../errors.ts'
import { importWithDrizzle } from './import-with-drizzle.ts'

export interface OpenStore {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`, as in the setting DATABASE_URL. */
  readonly url: string
  /** Whether to be the one gateway of a SQLite file; without meaning for PostgreSQL, which many may share. */
  readonly serve?: boolean
  /** Told of every statement that is sent to the open store, those around transactions included. */
  readonly onStatement?: (sql: string) => void
}

/**
 * The store that the URL names, migrated. Where it cannot be opened, a `StartError` of one line without the password.
 * Only the engine that is used is loaded: the other would make every start a tenth of a second longer.
 */
export async function openStore({ url, serve = false, onStatement }: OpenStore): Promise<Store> {
  if (url.startsWith('sqlite:')) {
    const { openSqliteStore } = await importWithDrizzle(() => import('./sqlite/open-sqlite-store.ts'))
    return openSqliteStore({ path: url.slice('sqlite:'.length), serve, onStatement })
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgresStore } = await importWithDrizzle(() => import('./postgres/open-postgres-store.ts'))
    return openPostgresStore({ url, onStatement })
  }
  throw new StartError('The setting DATABASE_URL must be `sqlite:<path>` or `postgres://…`.')
}
