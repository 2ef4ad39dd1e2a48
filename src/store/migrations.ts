import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { StartError } from '../errors.ts'

/** Named by its hash, so that a migration that changed after it was applied counts as another one. */
export interface Migration {
  readonly hash: string
  readonly sql: readonly string[]
}

/**
 * The stores that a command migrates: all, those without accounts, or none. Others that lack migrations are refused,
 * because a gateway of an older version may serve them.
 */
export type Migrates = 'all' | 'unused' | 'none'

/** Says that a store is migrated. May return a promise that resolves once somebody can read it. */
export type OnWait = () => unknown

/**
 * The migrations, oldest first, that are not in `applied`. A store that has one we do not know is refused, since we
 * cannot tell what its rows mean.
 */
export function selectPending(
  engine: 'sqlite' | 'postgres',
  applied: readonly string[],
  store: string,
): Migration[] {
  const known: Migration[] = readMigrations(engine)
  if (applied.some(hash => !known.some(migration => migration.hash === hash))) {
    throw new StartError(
      `${store} is newer than this code: it has migrations that this version does not know. ` +
        'Run the version that made it, or a later one.',
    )
  }
  return known.filter(migration => !applied.includes(migration.hash))
}

/**
 * Throws a `StartError` for a store that lacks migrations: once migrated, the version that made it could not open it.
 * Also for a database without tables: a new store in it would hide that the wrong one was named.
 */
export function refuseUnmigrated(
  engine: 'sqlite' | 'postgres',
  pending: readonly Migration[],
  store: string,
): void {
  if (pending.length === 0) return
  if (pending.length === readMigrations(engine).length) {
    throw new StartError(
      `${store} holds no store: it has no tables of Rostrum. Name one that a gateway served.`,
    )
  }
  throw new StartError(
    `${store} is older than this code, and this command does not migrate it. ` +
      'Start this version on it once, or run the command of the version that made it.',
  )
}

/** The migrations this code knows, oldest first, as drizzle-kit wrote them. */
export function readMigrations(engine: 'sqlite' | 'postgres'): Migration[] {
  const migrationsFolder = fileURLToPath(new URL(`../../drizzle/${engine}`, import.meta.url))
  return readMigrationFiles({ migrationsFolder })
}
